/** The thread that reads one page: a page can be made so that reading it takes forever. */

import { parentPort, workerData } from 'node:worker_threads'
import { type PageSource, readPage } from './read-page.ts'

parentPort?.postMessage(readPage(workerData as PageSource))
