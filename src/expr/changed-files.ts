/** The paths of the files that a push changes, of all its commits: the field `changed_files` (rules: Filters 19). */

import { type ExactJson, isObject, own } from '../core/json.ts'

export const changedFilesField = 'changed_files'

/** The lists of paths of a commit, as GitHub, GitLab and Gitea name them. */
const lists = ['added', 'modified', 'removed']

const listsOf = (commit: ExactJson): readonly (readonly ExactJson[])[] =>
  lists.flatMap((name) => {
    const list = isObject(commit) ? own(commit, name) : undefined
    return Array.isArray(list) ? [list] : []
  })

/**
 * Returns the paths, each once, in the order of the commits; `undefined` for a payload that has a key of this name, and for one without
 * commits that list their files. A push without commits changes no files.
 */
export const changedFiles = (payload: ExactJson | undefined): string[] | undefined => {
  if (!isObject(payload) || own(payload, changedFilesField) !== undefined) return undefined
  const commits = own(payload, 'commits')
  if (!Array.isArray(commits)) return undefined
  const paths = new Set<string>()
  let isListed = commits.length === 0
  for (const list of commits.flatMap(listsOf)) {
    isListed = true
    for (const path of list) if (typeof path === 'string') paths.add(path)
  }
  return isListed ? [...paths] : undefined
}
