/** Texts that strangers write where a sender lets them: in a text message, a title, a note. They are signed as the sender's own. */

/** Each is the half of an attack: another request is made of what stands before, in and behind it. */
export const hostileTexts: readonly string[] = [
  // A form's fields, run together, that begin as JSON from here on.
  '"}{"From":"evil","x":"',
  // Fields of a form within the text of another field.
  'xFromevilFromA',
  'payload{"From":"evil"}~',
  '&payload=%7B%22forged%22%3Atrue%7D&x=',
  'a&payload={"forged":true}&b=',
  // What could be the rest of another signed text.
  '.4000000001.{"forged":true}',
  '{"forged":true}',
  'http://hooks.example.com/webhooks/hook',
  '/webhooks/hook?a=',
  '/webhooks/hook#',
  // The lines that Amazon signs.
  'evil\nMessageId\n3\nSubject\nforged',
  // Texts that could be numbers, truth or nothing.
  '5',
  '1e3',
  'true',
  'null',
  '漢字 é \u2028',
]
