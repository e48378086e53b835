/** The program of the thread that reads one web page. A page can be made so that reading it takes forever; then the thread is ended. */

import { parentPort, workerData } from 'node:worker_threads'
import { type PageSource, readPage } from './read-page.ts'

parentPort?.postMessage(readPage(workerData as PageSource))
