// The ways in which senders write an id into the body of a delivery, and the search for them.

/** A body that holds an id as long as this, in whatever place, names it: a shorter one may be a part of another value. */
const LONG_BYTES = 8

const escaped = (text: string, which: RegExp, hex: (code: string) => string): string =>
  text.replaceAll(which, (unit) => `\\u${hex(unit.charCodeAt(0).toString(16).padStart(4, '0'))}`)
const lower = (code: string): string => code
const upper = (code: string): string => code.toUpperCase()
const same = (text: string): string => text

// Without the flag `u`, so that both halves of a pair are escaped, as JSON has them.
const NOT_ASCII = /[\u007f-\uffff]/g
const OF_HTML = /[<>&'+]/g

/**
 * The forms of an id: as it is, as JSON text, and in a form. PHP escapes slashes and writes `é` as `\u00e9`; other
 * writers take capital letters for that, or escape what HTML would read.
 */
export function formsOf(id: string): string[] {
  const json = JSON.stringify(id).slice(1, -1)
  const texts = [id, json, json.replaceAll('\\"', '\\u0022')]
  const slashes = [same, (text: string) => text.replaceAll('/', '\\/')]
  const letters = [same, ...[lower, upper].map((hex) => (text: string) => escaped(text, NOT_ASCII, hex))]
  const html = [same, ...[lower, upper].map((hex) => (text: string) => escaped(text, OF_HTML, hex))]
  const written = texts.flatMap((text) =>
    slashes.flatMap((slash) => letters.flatMap((letter) => html.map((tag) => tag(letter(slash(text)))))),
  )
  return [...new Set([...written, encodeURIComponent(id.toWellFormed())])]
}

const BEFORE = new Set(Buffer.from('"\'\\:[(,/= \t\r\n>&'))
const AFTER = new Set(Buffer.from('"\'\\,]})/ \t\r\n<;&?'))

/** True if a body has one of the forms. A short one counts as a whole value alone: `17` is in most bodies somewhere. */
export const holdsForm = (body: Buffer, forms: readonly Buffer[]): boolean =>
  forms.some((form) => {
    for (let at = body.indexOf(form); at >= 0; at = body.indexOf(form, at + 1)) {
      const end = at + form.length
      const isWhole = (at === 0 || BEFORE.has(body[at - 1]!)) && (end === body.length || AFTER.has(body[end]!))
      if (form.length >= LONG_BYTES || isWhole) return true
    }
    return false
  })
