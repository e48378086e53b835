/** The model of every kind of screen. */

import type { Screen, ScreenModel } from '../model/screen.ts'
import type { Models } from '../model/state.ts'
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

/** Drops the type of the model's screen. This is safe, because a screen is only given to the model of its own kind. */
const anyModel = <S extends Screen>(model: ScreenModel<S>): ScreenModel => model as unknown as ScreenModel

/** The model of a screen says how the screen behaves: its actions, its rows, and what keys and messages change. */
export const models: Models = {
  home: anyModel(homeModel),
  route: anyModel(routeModel),
  filters: anyModel(filtersModel),
  prompt: anyModel(promptModel),
  deliver: anyModel(deliverModel),
  tests: anyModel(testsModel),
  payload: anyModel(payloadModel),
  live: anyModel(liveModel),
  trace: anyModel(traceModel),
  save: anyModel(saveModel),
  help: anyModel(helpModel),
  pick: anyModel(pickModel),
  entry: anyModel(entryModel),
  choose: anyModel(chooseModel),
}
