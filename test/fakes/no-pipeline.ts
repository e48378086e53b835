/**
 * Lets Ink draw in a pipeline (where the variable CI is set), and must be imported before Ink is. The build leaves Ink's look at the
 * variable out, so the built program needs no such file.
 */

process.env.CI = 'false'
