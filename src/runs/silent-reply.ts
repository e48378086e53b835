/** Recognises replies with which an agent asks that nothing be sent (rules: Runs 4). */

/** The lines with which an agent asks that nothing be sent. */
const silentWords = new Set(['[SILENT]', 'SILENT', 'NO_REPLY', 'NO REPLY'])

/** Whether a reply is empty, or its first or last line is one of the silent words. */
export const isSilent = (reply: string): boolean => {
  const text = reply.trim()
  if (text === '') return true
  const first = text.slice(0, 64).split('\n', 1)[0] as string
  const last = text.slice(-64).split('\n').at(-1) as string
  return silentWords.has(first.trim()) || silentWords.has(last.trim())
}
