/** Texts that strangers may write in events of a sender: in a text message, a title, a note. The sender signs them like its own texts. */

/** Each text is one half of an attack. The mutations are the other half: they cut the signed text at or inside such a text. */
export const hostileTexts: readonly string[] = [
  // Ends one JSON map within the joined fields of a form, and begins another.
  '"}{"From":"evil","x":"',
  // Fields of a form within the text of another field.
  'xFromevilFromA',
  'payload{"From":"evil"}~',
  '&payload=%7B%22forged%22%3Atrue%7D&x=',
  'a&payload={"forged":true}&b=',
  // Texts that could be the rest of the signed text of another request.
  '.4000000001.{"forged":true}',
  '{"forged":true}',
  'http://hooks.example.com/webhooks/hook',
  '/webhooks/hook?a=',
  '/webhooks/hook#',
  // The lines that Amazon signs.
  'evil\nMessageId\n3\nSubject\nforged',
  // Texts that could be read as numbers, as true or false, or as null.
  '5',
  '1e3',
  'true',
  'null',
  '漢字 é \u2028',
]
