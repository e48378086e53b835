/** The receiver that a breaker stands for, with its key among the breakers and its name for people. */

/** A target's name, and the address that its texts go to, which may be empty. */
export type Receiver = { readonly target: string; readonly address: string }

export const receiverKey = ({ target, address }: Receiver): string => `${target}\n${address}`

export const receiverText = ({ target, address }: Receiver): string => (address === '' ? target : `${target} at ${address}`)
