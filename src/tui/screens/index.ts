/** Every kind of screen: its model and its view. */

import type { Screen, ScreenKind, ScreenModel } from '../model/screen.ts'
import type { Models } from '../model/state.ts'
import type { ScreenView } from '../view/screen-view.ts'
import { deliverModel } from './deliver/deliver.ts'
import { deliverView } from './deliver/deliver-view.ts'
import { filtersModel } from './filters/filters.ts'
import { filtersView } from './filters/filters-view.ts'
import { homeModel } from './home/home.ts'
import { homeView } from './home/home-view.ts'
import { liveModel } from './live/live.ts'
import { liveView } from './live/live-view.ts'
import { chooseModel, chooseView } from './overlays/choose.ts'
import { entryModel, entryView } from './overlays/entry.ts'
import { helpModel, helpView } from './overlays/help.ts'
import { pickModel, pickView } from './overlays/pick.ts'
import { payloadModel } from './payload/payload.ts'
import { payloadView } from './payload/payload-view.ts'
import { promptModel } from './prompt/prompt.ts'
import { promptView } from './prompt/prompt-view.ts'
import { routeModel } from './route/route.ts'
import { routeView } from './route/route-view.ts'
import { saveModel } from './save/save.ts'
import { saveView } from './save/save-view.ts'
import { testsModel } from './tests/tests.ts'
import { testsView } from './tests/tests-view.ts'
import { traceModel } from './trace/trace.ts'
import { traceView } from './trace/trace-view.ts'

type Registered = { readonly model: ScreenModel; readonly view: ScreenView }

/** A screen is only ever given to the model and view of its own kind. */
const registered = <S extends Screen>(model: ScreenModel<S>, view: ScreenView<S>): Registered => ({ model, view }) as unknown as Registered

const screens: { readonly [kind in ScreenKind]: Registered } = {
  home: registered(homeModel, homeView),
  route: registered(routeModel, routeView),
  filters: registered(filtersModel, filtersView),
  prompt: registered(promptModel, promptView),
  deliver: registered(deliverModel, deliverView),
  tests: registered(testsModel, testsView),
  payload: registered(payloadModel, payloadView),
  live: registered(liveModel, liveView),
  trace: registered(traceModel, traceView),
  save: registered(saveModel, saveView),
  help: registered(helpModel, helpView),
  pick: registered(pickModel, pickView),
  entry: registered(entryModel, entryView),
  choose: registered(chooseModel, chooseView),
}

export const models = Object.fromEntries(Object.entries(screens).map(([kind, { model }]) => [kind, model])) as Models

export const viewOf = ({ kind }: Screen): ScreenView => screens[kind].view
