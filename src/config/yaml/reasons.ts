/** Says in our words why the YAML parser refused a text. Its own messages name its terms, and some quote the text. */

/** `help`: the way out. */
type Reason = { readonly message: string; readonly help: string }

/** Our words, by what the parser's message has. The first that fits counts. */
const reasons: readonly (readonly [of: RegExp, Reason])[] = [
  [
    /^bad indentation/,
    {
      message: 'this begins in another column than what it belongs to',
      help: 'the keys of one map, and the items of one list, begin in the same column',
    },
  ],
  [
    /^deficient indentation/,
    { message: 'this is indented too little', help: 'indent it more than the key or the dash that it belongs to' },
  ],
  [/^tab characters/, { message: 'a tab indents this line', help: 'indent it with spaces' }],
  [
    /escape sequence|hexadecimal/,
    { message: 'a text in double quotes has no such escape', help: 'write \\\\ for a backslash, or put the text in single quotes' },
  ],
  [
    /non-printable|null byte|JSON character/,
    { message: 'a control character stands here', help: 'take it out, or write it as an escape in a text in double quotes' },
  ],
  [/^duplication of an? (?:tag|anchor)/, { message: 'a value has one anchor and one tag', help: 'take one of the two out' }],
  [/^alias node/, { message: 'an alias has neither an anchor nor a tag', help: 'take them out' }],
  [/^name of an/, { message: 'a name is missing behind & or *', help: 'put a text that begins with & or * in quotes' }],
  [/^Unresolved alias|stands inside/, { message: '', help: 'use fewer aliases, and put a text that begins with * in quotes' }],
  [/^the aliases stand/, { message: '', help: 'use fewer aliases' }],
  [/ tag\b|explicit tag/, { message: 'this is no value of its tag, or no tag', help: 'put a text that begins with ! in quotes' }],
  [/complex keys/, { message: 'complex keys are not read', help: 'write a text as the key' }],
  [/directive/, { message: 'this line is no directive of YAML', help: 'put a text that begins with % in quotes' }],
  [/^missed comma/, { message: 'a comma is missing', help: 'put a comma before this' }],
  [/^expected the node content/, { message: 'a value is missing before this comma', help: 'write the value, or take the comma out' }],
  [
    /^expected ':'|^can not read a block|whitespace character/,
    { message: 'a key stands here without a colon and a blank', help: 'write both behind the key' },
  ],
  [/chomping|indentation width|^a line break/, { message: 'this does not belong behind | or >', help: 'begin the text in the next line' }],
  [/within a/, { message: 'the file or document ends before this value does', help: 'close the quote or bracket' }],
  [
    /document separator/,
    { message: 'this belongs to nothing above it', help: 'a file has one map at its top, whose keys begin in the same column' },
  ],
  [/^(?:the file has more|lists and maps are)/, { message: '', help: 'the file must be valid YAML 1.2' }],
]

/** Returns the words for a message of the parser. Messages of our own checks stay. */
export const reasonOf = (message: string): Reason => {
  const [, reason] = reasons.find(([of]) => of.test(message)) ?? []
  if (!reason) return { message: 'this is no YAML 1.2', help: 'the file must be valid YAML 1.2' }
  return reason.message === '' ? { ...reason, message } : reason
}
