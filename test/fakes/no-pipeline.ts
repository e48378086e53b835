/** Ink draws nothing where it believes to be in a pipeline. Imported before Ink is. The built program has that question left out. */

process.env.CI = 'false'
