/** How much a store lets strangers make it hold, and what it lets callers ask for: the same in every store. */

/** Groups that wait at once. */
export const maxGroups = 10_000
/** Groups that become runs in one `take`. */
export const maxGroupsPerTake = 1_000
/** How many of a group's prompts are kept, and their characters: the newest ones, and the very newest whatever its length. */
export const maxPrompts = 100
export const maxPromptChars = 150_000
/** Events that `standings` is asked about at once. */
export const maxStandings = 1_000
export const maxPlans = 10_000

/** Whether a text can be an event's id: plain enough to be looked for in stored JSON as it stands. */
export const isEventId = (text: string): boolean => /^[\w.:-]{1,128}$/.test(text)
