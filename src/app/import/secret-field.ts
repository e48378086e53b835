/** Whether a condition on a field compares a secret: its operand must not be written into the YAML. */

// Narrower than what is masked on a screen: `project_key` of a ticket is no secret, and a condition on it is wanted.
const secretWords = /secret|token|passw|passphrase|credential|authorization|cookie|signature|(?:api|private|access|auth)[_-]?key/i

/** `name` is a dotted path or a header's name; its last part decides. */
export const namesSecret = (name: string): boolean => secretWords.test(name.split('.').at(-1) ?? '')
