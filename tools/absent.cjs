/** Stands in the bundle for what the program does without (tools/build.ts): whoever imports it gets `false`. */
module.exports = false
