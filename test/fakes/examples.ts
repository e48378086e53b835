/** The configurations in `examples/` that are one file each, as paths from the root of the project. */

import { readdirSync } from 'node:fs'

const filesIn = (folder: string): readonly string[] =>
  readdirSync(new URL(`../../${folder}`, import.meta.url))
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => `${folder}/${name}`)

export const recipes = filesIn('examples/recipes')
export const examples: readonly string[] = [...filesIn('examples'), ...recipes]
