/** Stands in the bundle for Fastify's compilers of schemas (tools/build.ts): no route of the gateway's server has a schema. */
module.exports = () => undefined
