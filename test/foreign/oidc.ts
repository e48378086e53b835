/** A provider of OpenID Connect. */

export { Provider } from 'oidc-provider'
