/**
 * The editor at work: each input goes through the reducer, the new state is drawn, and the commands that the reducer gives back are done.
 */

import type { Path } from '../core/diagnostic.ts'
import { messageOf } from '../core/fault.ts'
import { cut } from '../core/text.ts'
import type { OpenedRoute } from '../edit/draft/route-draft.ts'
import type { EditorService } from '../edit/service.ts'
import type { ServiceAnswer } from '../edit/service-messages.ts'
import type { TailLine } from '../generated/control.ts'
import { createDraftKeeper } from './keep-drafts.ts'
import { changedDrafts } from './model/pending.ts'
import type { Command, Message } from './model/screen.ts'
import { type EditorState, type Input, reduce } from './model/state.ts'
import { maxCopiedUnits } from './model/world-after.ts'
import { askService, createQuestions } from './questions.ts'
import { models } from './screens/index.ts'

/** What the running editor needs to act outside of the model: the editor service, the terminal, other programs, and times. */
export type SessionSurroundings = {
  readonly service: EditorService
  readonly draw: (state: EditorState) => void
  readonly redraw: () => void
  readonly copy: (text: string) => void
  readonly suspend: () => void
  /** Opens a text in the user's editor and resolves to the edited text. That editor has the terminal meanwhile. */
  readonly editText: (text: string) => Promise<string>
  /** Opens a file at a line in the user's editor, and resolves when that editor ends. */
  readonly editFile: (file: string, line: number) => Promise<void>
  /** Follows the traffic of the running gateway. Rejects with a Fault where no gateway can be watched. */
  readonly watch: (route: string | undefined) => Promise<{ readonly lines: AsyncIterable<TailLine>; close(): void }>
  /** Milliseconds that a preview waits for the next change. */
  readonly previewDelayMs: number
  /** Milliseconds from a change until the draft is stored, so that a crash loses little. */
  readonly keepDelayMs: number
}

export type EditorSession = {
  readonly state: () => EditorState
  readonly input: (input: Input) => void
  /**
   * Does what the user typed or clicked. If a screen is being opened, the act waits for that screen, because the user means the act for it.
   */
  readonly typed: (act: () => void) => void
  /** Resolves when the editor is left. */
  readonly ended: Promise<void>
  /**
   * Ends the editor, also if the user has not left it. Unsaved changes are kept as a draft. Resolves to words that say where the draft is
   * or why it could not be kept; `undefined` if there is none.
   */
  readonly close: () => Promise<string | undefined>
}

/** What is done for each kind of command. */
type CommandEffects = { readonly [kind in Command['kind']]: (command: Extract<Command, { kind: kind }>) => void }

/** Starts the editor in the state `first`. Nothing is drawn before the first input. */
export const openSession = (first: EditorState, around: SessionSurroundings): EditorSession => {
  let state = first
  let end = (): void => {}
  let isOver = false
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  let kept: string | undefined

  const input = (given: Input): void => {
    if (isOver) return
    const next = reduce(state, given, models)
    const isSame = next.state === state
    state = next.state
    if (!isSame) around.draw(state)
    keeper.update(changedDrafts(state.world))
    for (const command of next.commands) perform(command)
  }
  const tell = (message: Message): void => {
    if (message.type === 'keepDraft') kept = message.answer
    if (message.type === 'failed' && message.ask === 'keepDraft') kept = `not kept: ${message.message}`
    input({ kind: 'message', message })
  }
  const questions = createQuestions(around, { state: () => state, tell })
  const live = createTrafficFollower(around, tell)
  const keeper = createDraftKeeper({
    service: around.service,
    delayMs: around.keepDelayMs,
    track: (work) => questions.addWrite(work.catch(tellFailure('keepDraft', tell))),
  })

  const stop = async (): Promise<void> => {
    isOver = true
    live.close()
    keeper.close()
    await questions.close()
  }
  const close = async (): Promise<string | undefined> => {
    input({ kind: 'end' })
    await ended
    return kept
  }
  const effects: CommandEffects = {
    ask: ({ question }) => questions.ask(question),
    copy({ text }) {
      const copied = cut(text, maxCopiedUnits)
      around.copy(copied)
      tell({ type: 'copied', isCut: copied !== text })
    },
    'edit-text': ({ id, text }) =>
      void around.editText(text).then((value) => tell({ type: 'returned', id, value }), tellFailure('preview', tell)),
    'edit-file': ({ file, line }) =>
      void around.editFile(file, line).then(() => questions.ask({ ask: 'home', of: {} }), tellFailure('home', tell)),
    'edit-route': ({ opened, path }) => void editRoute(opened, path, around).then(tell, tellFailure('open', tell)),
    watch: ({ route }) => live.open(route),
    unwatch: () => live.close(),
    suspend: () => around.suspend(),
    redraw: () => around.redraw(),
    quit: () => void stop().then(end),
  }
  const perform = (command: Command): void => (effects[command.kind] as (command: Command) => void)(command)
  return { state: () => state, input, typed: questions.typed, ended, close }
}

const tellFailure =
  (what: keyof EditorService, tell: (message: Message) => void) =>
  (error: unknown): void =>
    tell({ type: 'failed', ask: what, message: messageOf(error) })

/** Opens the route's file in the user's editor, and then opens the route again as the file has it. */
const editRoute = async (opened: OpenedRoute, path: Path, { service, editFile }: SessionSurroundings): Promise<ServiceAnswer> => {
  await editFile(opened.file, await service.line({ opened, path }))
  return askService(service, { ask: 'reopen', of: { name: opened.name, source: opened.source } })
}

/** Makes the follower of the running gateway's traffic, which gives each line as a message. `open` first ends an earlier following. */
const createTrafficFollower = ({ watch }: SessionSurroundings, tell: (message: Message) => void) => {
  let close = (): void => {}
  const follow = async (route: string | undefined): Promise<void> => {
    let isOver = false
    let watching: Awaited<ReturnType<typeof watch>> | undefined
    close = () => {
      isOver = true
      watching?.close()
    }
    try {
      watching = await watch(route)
      if (isOver) return watching.close()
      tell({ type: 'watching', state: 'open' })
      for await (const line of watching.lines) if (!isOver) tell({ type: 'traffic', line })
      if (!isOver) tell({ type: 'watching', state: 'ended' })
    } catch (error) {
      if (!isOver) tell({ type: 'watching', state: 'ended', why: messageOf(error) })
    }
  }
  return {
    open(route: string | undefined): void {
      close()
      void follow(route)
    },
    close(): void {
      close()
      close = () => {}
    },
  }
}
