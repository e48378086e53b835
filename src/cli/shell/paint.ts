/** Colours text for a terminal. Colours only repeat what the text says in words. */

export type Paint = { readonly [name in 'error' | 'warning' | 'info' | 'dim' | 'bold']: (text: string) => string }

const codes = { error: '31;1', warning: '33;1', info: '36;1', dim: '2', bold: '1' } as const

/** Returns the functions that colour a text. Without `colour` they return the text unchanged. */
export const paintWith = (colour: boolean): Paint => {
  const style = (code: string) => (text: string) => (colour ? `\u001b[${code}m${text}\u001b[0m` : text)
  return {
    error: style(codes.error),
    warning: style(codes.warning),
    info: style(codes.info),
    dim: style(codes.dim),
    bold: style(codes.bold),
  }
}
