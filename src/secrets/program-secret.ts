/**
 * Whether a text names a secret of a program (`exec:PROVIDER/ID`). Settings have such texts in place of secrets only where programs were
 * not asked.
 */
export const namesProvider = (text: string): boolean => text.startsWith('exec:')
