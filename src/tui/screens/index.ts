/** The screens of the editor: the model of each kind, and its view. */

import type { Screen, ScreenKind, ScreenModel, Screens } from '../model/screen.ts'
import type { Models } from '../model/state.ts'
import type { ScreenView } from '../view/screen-view.ts'
import { deliverModel } from './deliver/deliver.ts'
import { filtersModel } from './filters/filters.ts'
import { homeModel } from './home/home.ts'
import { liveModel } from './live/live.ts'
import { chooseModel } from './overlays/choose.ts'
import { entryModel } from './overlays/entry.ts'
import { helpModel } from './overlays/help.ts'
import { pickModel } from './overlays/pick.ts'
import { payloadModel } from './payload/payload.ts'
import { promptModel } from './prompt/prompt.ts'
import { routeModel } from './route/route.ts'
import { saveModel } from './save/save.ts'
import { testsModel } from './tests/tests.ts'
import { traceModel } from './trace/trace.ts'

/**
 * The model of a screen says how the screen behaves: its actions, its rows, and what keys and messages change. `view` loads the view,
 * because the models are also used without Ink.
 */
type Registered<S extends Screen> = ScreenModel<S> & { view(): Promise<ScreenView<S>> }

const screens: { readonly [Kind in ScreenKind]: Registered<Screens[Kind]> } = {
  home: { ...homeModel, view: async () => (await import('./home/home-view.tsx')).HomeView },
  route: { ...routeModel, view: async () => (await import('./route/route-view.tsx')).RouteView },
  filters: { ...filtersModel, view: async () => (await import('./filters/filters-view.tsx')).FiltersView },
  prompt: { ...promptModel, view: async () => (await import('./prompt/prompt-view.tsx')).PromptView },
  deliver: { ...deliverModel, view: async () => (await import('./deliver/deliver-view.tsx')).DeliverView },
  tests: { ...testsModel, view: async () => (await import('./tests/tests-view.tsx')).TestsView },
  payload: { ...payloadModel, view: async () => (await import('./payload/payload-view.tsx')).PayloadView },
  live: { ...liveModel, view: async () => (await import('./live/live-view.tsx')).LiveView },
  trace: { ...traceModel, view: async () => (await import('./trace/trace-list.tsx')).TraceView },
  save: { ...saveModel, view: async () => (await import('./save/save-view.tsx')).SaveView },
  help: { ...helpModel, view: async () => (await import('./overlays/help-view.tsx')).HelpView },
  pick: { ...pickModel, view: async () => (await import('./overlays/pick-view.tsx')).PickView },
  entry: { ...entryModel, view: async () => (await import('./overlays/entry-view.tsx')).EntryView },
  choose: { ...chooseModel, view: async () => (await import('./overlays/choose-view.tsx')).ChooseView },
}

export const models: Models = screens

export const loadViews = async (): Promise<ReadonlyMap<string, ScreenView>> =>
  new Map(await Promise.all(Object.entries(screens).map(async ([kind, { view }]): Promise<[string, ScreenView]> => [kind, await view()])))
