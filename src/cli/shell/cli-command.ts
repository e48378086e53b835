/**
 * The grammar of a command, with what the help, the completion of the shell and the audit need to know of the command, declared in one
 * place.
 */

import { Command } from 'commander'
import type { NameKind } from '../../edit/completable-names.ts'

/** What the value of an option or an argument is, so that the shell can complete it. */
export type CompletedKind = NameKind | 'files'

export type OptionValues = { readonly [name: string]: unknown }

/**
 * A change that the audit has a line of. `action`: the name of the change. `when`: whether the command changes something with these
 * options; absent where the command always does.
 */
export type Change = { readonly action: string; readonly when?: ((options: OptionValues) => boolean) | undefined }

type Notes = {
  /** Examples for the help, without the name of the program. */
  readonly examples: readonly string[]
  /** Present for a command that changes files, the store or the running gateway, and does not only send a message or an event. */
  readonly change?: Change
  /** The kinds of arguments whose name says less than this command. */
  readonly kinds: { readonly [argument: string]: CompletedKind }
}

export class CliCommand extends Command {
  #notes: Notes = { examples: [], kinds: {} }

  override createCommand(name?: string): CliCommand {
    return new CliCommand(name)
  }

  get notes(): Notes {
    return this.#notes
  }

  examples(...examples: readonly string[]): this {
    this.#notes = { ...this.#notes, examples }
    return this
  }

  changes(action: string, when?: Change['when']): this {
    this.#notes = { ...this.#notes, change: { action, when } }
    return this
  }

  completes(argument: string, kind: CompletedKind): this {
    this.#notes = { ...this.#notes, kinds: { ...this.#notes.kinds, [argument]: kind } }
    return this
  }
}

const none: Notes = { examples: [], kinds: {} }

export const notesOf = (command: Command): Notes => (command instanceof CliCommand ? command.notes : none)

export const unlessDry = ({ dryRun }: OptionValues): boolean => dryRun !== true
