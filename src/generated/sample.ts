// Generated from schema/ by `npm run gen`. Do not edit.


/**
 * A request as a sender posts it: what `events export` writes, `samples add` takes and `webhook test --sample` sends.
 */
export interface SampleFile {
/**
 * Who sends it.
 */
provider?: string
/**
 * What its sender calls the event.
 */
event?: string
/**
 * What happened, in a sentence.
 */
description?: string
/**
 * The query of the address, without its question mark.
 */
query?: string
/**
 * The method of the request; absent: POST.
 */
method?: ("GET" | "POST" | "PUT" | "PATCH" | "DELETE")
/**
 * The request's headers; values that open doors are `***`.
 */
headers: {
[k: string]: string
}
/**
 * The body, where it is a text that is not JSON: a form.
 */
body_text?: string
/**
 * The body in base64, where it is no text.
 */
body_base64?: string
body?: unknown
}
