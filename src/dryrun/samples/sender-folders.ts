/** Names the folder of each sender in the gallery of samples, and decides whether a sample can be for a route. */

import { presets, schemes } from '../../parts/schemes/index.ts'
import { verifyNames } from '../../parts/written-names.ts'
import type { ChosenSample } from './choose-samples.ts'

/** Returns the folder in which the samples of a sender stand. A preset may share the folder of another preset. */
export const folderOf = (sender: string): string => presets.find(({ name }) => name === sender)?.about.sample.split('/')[0] ?? sender

/** The folders of senders with a scheme of their own. A scheme that lists no event types, such as Standard Webhooks, serves many senders. */
const ownFolders = new Set([...schemes.filter(({ events }) => events !== undefined), ...presets].map(({ name }) => folderOf(name)))

/** Whether a sample is of another sender than those that a route verifies, so that the route can never get it. */
export const isOfOtherSender = (route: Parameters<typeof verifyNames>[0], { provider = '' }: ChosenSample['sample']): boolean => {
  const folders = verifyNames(route).map(folderOf)
  return ownFolders.has(provider) && folders.length > 0 && folders.every((folder) => ownFolders.has(folder) && folder !== provider)
}
