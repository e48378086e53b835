// Generated from schema/ by `npm run gen`. Do not edit.
/** What is secret at a key: the whole text, or what lets in within an address. A place is a key, or a key and the key around it. */
export const secretKeys: { readonly [place: string]: 'secret' | 'address' } = {
  "access_token": "secret",
  "agent.base_url": "address",
  "api_base": "address",
  "api_key": "secret",
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
  "http": "address",
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
  "web_search.base_url": "address",
  "webhook_url": "secret",
  "websocket_url": "address"
}

/** The keys whose texts are no secret anywhere, whatever their names look like: `secret_header` names a header. */
export const openKeys: readonly string[] = ["absent","account","account_sid","address","advance","agent_id","algorithm","allow","allow_from","answer","api_version","app_id","audience","body","bot_id","bridge","cert","chat_id","claim","client_ca","client_certificates","client_id","command","contains","content_type","corp_id","created_at","cron_job","cron_job_running","deliver","deliver_mode","description","domain","durability","during","encoding","ends_with","env","equals","equals_field","event","events","every","expression_error","fail","field","file","fingerprint","folder","from","groups_claim","groups_header","gt","gte","header","home_channel","hook","host","hosts","id","iid","in","in_file","include","include_links_to","issuer","items","jsonata","jwks_url","keep","keep_refused","kind","label","lacks","lines","lt","lte","markdown","matches","matches_glob","message_thread_id","messaging_service_sid","method","methods","model","name","not_equals","not_in","on","on_failure","operator","org","outcome","path","payload","payload_mismatch","payload_schema","payloads","phone_number","phone_number_id","plugins","port","pr_number","prefix","present","priority","profile","project","prompt","protocol","provider","proxies","public_key","public_origin","public_url","query","reason","redact","regex","reply","repo","robot_code","route","rule","runner","sample","sandbox","schedule","schema","scopes","script","secret_header","sends","separator","service_name","sign","signed","skills","skip","smtp_ca_file","smtp_host","smtp_port","smtp_security","split","starts_with","stdout","stopped_at","store","subject","system","target","text","thread_id","timezone","title","to","toolsets","topic","transform","trust_proxy","type","unit","unresolved","unset","until","untrusted","updated_at","user","user_claim","user_header","user_id","verify","viewer","webhook","when_down","when_over"]

/** The keys of maps whose members have names of one's own, such as `routes`. */
export const mapsOfNames: readonly string[] = ["gateways","jobs","lookup","platforms","prices","providers","routes","signature_schemes","toolsets"]
