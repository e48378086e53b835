// Generated from schema/ by `npm run gen`. Do not edit.
/** What is secret at a key: the whole text, or what lets in within an address. A place is a key, or a key and the key around it. */
export const secretKeys: { readonly [place: string]: 'secret' | 'address' } = {
  "access_token": "secret",
  "agent.api_key": "secret",
  "agent.base_url": "address",
  "api_base": "address",
  "api_secret": "secret",
  "app_key": "secret",
  "app_secret": "secret",
  "auth_token": "secret",
  "bridge_url": "address",
  "channel_access_token": "secret",
  "client_secret": "secret",
  "corp_secret": "secret",
  "endpoint": "address",
  "env.*": "secret",
  "homeserver": "address",
  "http_url": "address",
  "keys": "secret",
  "password": "secret",
  "password.*": "secret",
  "relay.key": "secret",
  "secret": "secret",
  "secrets": "secret",
  "server_url": "address",
  "service_account_json": "secret",
  "token": "secret",
  "url": "address",
  "verify_token": "secret",
  "web_search.api_key": "secret",
  "web_search.base_url": "address",
  "webhook_url": "secret",
  "websocket_url": "address"
}

/** The keys of maps whose members have names of one's own, such as `routes`. */
export const mapsOfNames: readonly string[] = ["gateways","jobs","platforms","prices","providers","routes","signature_schemes","toolsets"]
