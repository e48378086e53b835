/** The view of every kind of screen. Views are apart from the models, because the models are also used without Ink. */

import type { Screen, ScreenKind } from '../model/screen.ts'
import type { ScreenView } from '../view/screen-view.ts'
import { DeliverView } from './deliver/deliver-view.tsx'
import { FiltersView } from './filters/filters-view.tsx'
import { HomeView } from './home/home-view.tsx'
import { LiveView } from './live/live-view.tsx'
import { ChooseView } from './overlays/choose-view.tsx'
import { EntryView } from './overlays/entry-view.tsx'
import { HelpView } from './overlays/help-view.tsx'
import { PickView } from './overlays/pick-view.tsx'
import { PayloadView } from './payload/payload-view.tsx'
import { PromptView } from './prompt/prompt-view.tsx'
import { RouteView } from './route/route-view.tsx'
import { SaveView } from './save/save-view.tsx'
import { TestsView } from './tests/tests-view.tsx'
import { TraceView } from './trace/trace-list.tsx'

/** Drops the type of the view's screen. This is safe, because a screen is only given to the view of its own kind. */
const anyView = <S extends Screen>(view: ScreenView<S>): ScreenView => view as unknown as ScreenView

const views: { readonly [kind in ScreenKind]: ScreenView } = {
  home: anyView(HomeView),
  route: anyView(RouteView),
  filters: anyView(FiltersView),
  prompt: anyView(PromptView),
  deliver: anyView(DeliverView),
  tests: anyView(TestsView),
  payload: anyView(PayloadView),
  live: anyView(LiveView),
  trace: anyView(TraceView),
  save: anyView(SaveView),
  help: anyView(HelpView),
  pick: anyView(PickView),
  entry: anyView(EntryView),
  choose: anyView(ChooseView),
}

export const viewOf = ({ kind }: Screen): ScreenView => views[kind]
