import { rmSync } from 'node:fs'
import type { Test } from 'tap'

type Content = Parameters<Test['testdir']>[0]

const made = new Set<string>()

/**
 * Makes a new folder below the test's, with this content. The first folder of a test has the name `t.testdirName`. A second `t.testdir()`
 * of a test removes the first folder, also while a gateway still writes to it, so each call leaves another name for the next call. The
 * folders are removed when the process ends, because what a test stops at its end may write until then.
 */
export const newFolder = (t: Test, content: Content = {}): string => {
  const dir = sameFolder(t, content)
  t.testdirName = `${dir}+`
  return dir
}

/**
 * Makes the folder `t.testdirName`, with this content and no other. A further call replaces the content, so use it only where nothing
 * writes to the folder.
 */
export const sameFolder = (t: Test, content: Content = {}): string => {
  t.saveFixture = true
  if (made.size === 0) process.once('exit', removeAll)
  made.add(t.testdirName)
  return t.testdir(content)
}

const removeAll = (): void => {
  for (const dir of made) rmSync(dir, { recursive: true, force: true, maxRetries: 3 })
}
