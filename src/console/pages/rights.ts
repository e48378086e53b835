/**
 * The rights of the signed-in user, as the server told them. The server checks the rights at each question; the pages only leave out
 * buttons and filters that it would refuse.
 */

import { signal } from '@preact/signals'
import type { Right } from '../access/users.ts'

export const rights = signal<readonly Right[]>([])

export const may = (right: Right): boolean => rights.value.includes(right)
