/**
 * The answers about a route whose text the user edits, by the editor service. Each question has the text with which the user began and the
 * text that the user made of it. The route is opened anew for each question, so the server keeps no text, and no secret goes to a page.
 */

import { exit, Fault } from '../../core/fault.ts'
import { draftOf, type RouteDraft, rewritten } from '../../edit/draft/route-draft.ts'
import { textChange } from '../../edit/draft/route-text.ts'
import { routeSchema } from '../../edit/schema/route-schema.ts'
import type { EditorService, PayloadChoice } from '../../edit/service.ts'
import type { ConsoleQuestions } from '../../generated/console.ts'
import { maskJson } from '../../secrets/mask.ts'
import type { SignIn } from '../access/sign-ins.ts'
import { type AnswerSurroundings, needPayloadsRight } from './surroundings.ts'

type Asked<Name extends keyof ConsoleQuestions> = ConsoleQuestions[Name]
type EditedRoute = Asked<'keepDraft'>

const choiceOf = ({ from, id }: { readonly from: 'sample' | 'event'; readonly id: string }): PayloadChoice =>
  from === 'event' ? { from, id } : { from, name: id }

const openRoute = (service: EditorService, { name, source, is_new = false }: Pick<EditedRoute, 'name' | 'source' | 'is_new'>) =>
  is_new ? service.create({ name }) : service.open({ name, ...(source ? { source } : {}) })

const draftFor = async (service: EditorService, of: EditedRoute): Promise<RouteDraft> =>
  rewritten(draftOf(await openRoute(service, of)), textChange(of.from, of.to))

/** Whether a sign-in may only read. A draft may name any file and variable of the machine, so nothing is shown that was read from them. */
const isBlind = ({ rights }: SignIn): boolean => !rights.has('operate')

export const routeTextAnswers = (around: AnswerSurroundings) => ({ ...lookAnswers(around), ...changeAnswers(around) })

const lookAnswers = ({ service }: AnswerSurroundings) => ({
  async routeText({ clone, like, ...of }: Asked<'routeText'>, signIn: SignIn) {
    if (like !== undefined) needPayloadsRight(signIn, 'a route that is made of a payload')
    const opened = draftOf(await openRoute(service, of))
    const { name, source, file, isNew } = opened.opened
    const from = isNew ? '' : await service.text({ draft: opened })
    const kept = (await service.drafts({ route: name })).find(({ draft }) => draft.opened.source === source)
    const begun = isNew && (clone !== undefined || like !== undefined) ? { ...(clone && { clone }), ...(like && { like }) } : undefined
    const draft = kept?.draft ?? (begun && draftOf(await service.create({ name, ...begun })))
    return {
      name,
      source,
      file,
      is_new: isNew,
      /** The route's text in the file; empty for a new route. */
      from,
      /**
       * The text with which the editor begins: that of the kept draft, that of a new route that is made from another route or a payload, or
       * else `from`.
       */
      to: draft ? await service.text({ draft }) : from,
      /**
       * The kept draft, where there is one. `at`: when it was kept, in milliseconds since 1970. `note`: what has changed in the file since
       * then.
       */
      kept: kept ? { at: kept.at, note: kept.note ?? null } : null,
    }
  },
  async routeNames(of: Asked<'routeNames'>) {
    return { names: await service.allNames({ draft: await draftFor(service, of) }), schema: routeSchema() }
  },
  async routePreview({ payload, ...of }: Asked<'routePreview'>, signIn: SignIn) {
    const maySee = signIn.rights.has('payloads')
    const draft = await draftFor(service, of)
    const chosen = maySee && payload ? { payload: choiceOf(payload) } : {}
    const { refused, findings, fixes, places, trace, untraced, prompt, extra, tallies, untallied } = await service.preview({
      draft,
      revision: 0,
      isBlind: isBlind(signIn),
      ...chosen,
    })
    return {
      refused: refused ?? null,
      findings: findings.map(({ code, severity, message, help, suggest }, i) => ({
        code,
        severity,
        message,
        help: help ?? null,
        suggest: suggest ?? [],
        place: places[i] ?? null,
      })),
      fixes: fixes.map(({ title }) => title),
      trace: trace ?? null,
      untraced: untraced ?? null,
      prompt: prompt ?? null,
      extra: extra === undefined ? null : maskJson(extra),
      // Samples may hold payloads of senders, and the number of samples for which a condition holds tells what these payloads have.
      tallies: maySee ? Object.fromEntries(Object.entries(tallies).map(([name, { holds, of }]) => [name, { holds, of }])) : {},
      untallied: maySee ? (untallied ?? 0) : 0,
    }
  },
  async payloads({ route }: Asked<'payloads'>) {
    const rows = await service.payloads({ route })
    return {
      payloads: rows.flatMap(({ choice, title, detail, fits }) => {
        if (choice.from !== 'sample' && choice.from !== 'event') return []
        return [{ from: choice.from, id: choice.from === 'event' ? choice.id : choice.name, title, detail, fits }]
      }),
    }
  },
  payload: ({ route, payload }: Asked<'payload'>) => service.payload({ route, choice: choiceOf(payload) }),
})

const changeAnswers = ({ service }: AnswerSurroundings) => ({
  async routePlan({ onto, ...of }: Asked<'routePlan'>, signIn: SignIn) {
    return service.plan({ draft: await draftFor(service, of), isBlind: isBlind(signIn), ...(onto ? { onto } : {}) })
  },
  async fixRoute({ fix, ...of }: Asked<'fixRoute'>, signIn: SignIn) {
    const draft = await draftFor(service, of)
    const { fixes } = await service.preview({ draft, revision: 0, isBlind: isBlind(signIn) })
    const step = fixes.find(({ title }) => title === fix)
    if (!step) throw new Fault('no_fix', 'there is no such fix any more', { exitCode: exit.notFound, hint: 'wait for the findings' })
    return { text: await service.textAfter({ text: of.to, step: await service.masked({ draft, step }) }) }
  },
  async saveRoute({ onto, despite_errors = false, ...of }: Asked<'saveRoute'>) {
    const draft = await draftFor(service, of)
    const saved = await service.save({ draft, despiteErrors: despite_errors, ...(onto ? { onto } : {}) })
    if (!saved.ok) return { ok: false as const, why: saved.why, plan: saved.plan, message: saved.message }
    await service.dropDraft({ name: of.name, source: draft.opened.source })
    return { ok: true as const, notices: saved.notices }
  },
  async keepDraft(of: EditedRoute) {
    const draft = await draftFor(service, of)
    const { name, source } = draft.opened
    if (draft.past.length > 0) return { kept: await service.keepDraft({ draft }) }
    await service.dropDraft({ name, source })
    return { kept: null }
  },
  async dropDraft({ name, source = 'config' }: Asked<'dropDraft'>) {
    await service.dropDraft({ name, source })
    return { dropped: true }
  },
})
