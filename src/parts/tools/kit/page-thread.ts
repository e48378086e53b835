/** The program of the thread that reads one web page. A page can be made so that its reading takes forever; the caller ends the thread. */

import { parentPort, workerData } from 'node:worker_threads'
import { type PageSource, readWebPage } from './read-page.ts'

parentPort?.postMessage(readWebPage(workerData as PageSource))
