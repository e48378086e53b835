/** Stands in the bundle for Fastify's compilers of schemas (tools/build.ts): no route of its server has one. */
module.exports = () => undefined
