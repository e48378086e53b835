import type { Test } from 'tap'

type Content = Parameters<Test['testdir']>[0]

/**
 * A folder of its own below the test's, with this content; it is removed when the test has ended.
 * A second `t.testdir()` of a test removes the first folder, also while a gateway still writes to it. So each call leaves another name for the next.
 */
export const newFolder = (t: Test, content: Content = {}): string => {
  const dir = t.testdir(content)
  t.testdirName = `${dir}+`
  return dir
}
