import { BadRequest } from '../answers.js'
import { toRecord } from '../lib/json.js'
import type { SandboxPage } from '../model.js'
import { lengthOf } from '../publications.js'

const INSTAGRAM_TEXT_BYTES_MAX = 1000
const PAGE_TEXT_CHARS_MAX = 2000
const BUTTON_TEXT_CHARS_MAX = 640
const TITLE_CHARS_MAX = 80
const BUTTON_TITLE_CHARS_MAX = 20
const BUTTONS_MAX = 3
const ELEMENTS_MAX = 10

/** Reads an object, which a form carries as JSON. */
export function readObject(value: unknown, name: string): Record<string, unknown> {
  const object = toRecord(typeof value === 'string' ? parse(value) : value)
  if (object === undefined) throw new BadRequest(`Param ${name} must be a JSON object`)
  return object
}

/** Throws a BadRequest if the platform would not accept the message. */
export function checkMessage({ platform }: SandboxPage, message: Record<string, unknown>, now: number): void {
  const { text, attachment, quick_replies: quickReplies } = message
  if (quickReplies !== undefined) checkQuickReplies(quickReplies, now)
  if ((text === undefined) === (attachment === undefined)) {
    throw new BadRequest('A message must have either a text or an attachment, not both')
  }
  if (attachment === undefined) checkText(platform, text)
  else checkAttachment(readObject(attachment, 'attachment'))
}

/** Since this day quick replies may not ask for a phone number or an address. */
const CONTACT_REPLIES_END = Date.parse('2026-10-05')
const QUICK_REPLIES_MAX = 13

function checkQuickReplies(value: unknown, now: number): void {
  for (const reply of requireList(value, 1, QUICK_REPLIES_MAX, 'quick_replies')) {
    const { content_type: type, title } = readObject(reply, 'quick_replies')
    if (type === 'text') requireText(title, BUTTON_TITLE_CHARS_MAX, 'title')
    else if (!['user_phone_number', 'user_email'].includes(String(type)) || now >= CONTACT_REPLIES_END) {
      throw new BadRequest('Param quick_replies[content_type] must be one of {TEXT}')
    }
  }
}

function checkText(platform: SandboxPage['platform'], text: unknown): void {
  if (typeof text !== 'string' || text === '') throw new BadRequest('Param message[text] must be a non-empty string')
  const isTooLong =
    platform === 'facebook' ? lengthOf(text) > PAGE_TEXT_CHARS_MAX : Buffer.byteLength(text) > INSTAGRAM_TEXT_BYTES_MAX
  if (isTooLong) throw new BadRequest('Length of param message[text] is too long')
}

/** True for a template, which only followers of an Instagram account can receive. */
export const isTemplate = ({ attachment }: Record<string, unknown>): boolean =>
  attachment !== undefined && readObject(attachment, 'attachment').type === 'template'

function checkAttachment({ type, payload }: Record<string, unknown>): void {
  const content = readObject(payload, 'payload')
  if (type === 'image') requireUrl(content.url)
  else if (type === 'template') checkTemplate(content)
  else throw new BadRequest('This sandbox knows attachments of the types image and template')
}

function checkTemplate({ template_type: type, text, buttons, elements }: Record<string, unknown>): void {
  if (type === 'button') {
    requireText(text, BUTTON_TEXT_CHARS_MAX, 'text')
    checkButtons(buttons, 1)
  } else if (type === 'generic') {
    for (const element of requireList(elements, 1, ELEMENTS_MAX, 'elements'))
      checkElement(readObject(element, 'elements'))
  } else throw new BadRequest('This sandbox knows templates of the types button and generic')
}

function checkElement({ title, image_url: imageUrl, buttons = [] }: Record<string, unknown>): void {
  requireText(title, TITLE_CHARS_MAX, 'title')
  if (imageUrl !== undefined) requireUrl(imageUrl)
  checkButtons(buttons, 0)
}

function checkButtons(value: unknown, min: number): void {
  for (const button of requireList(value, min, BUTTONS_MAX, 'buttons')) {
    const { type, title, url } = readObject(button, 'buttons')
    if (type !== 'web_url') throw new BadRequest('This sandbox knows buttons of the type web_url')
    requireText(title, BUTTON_TITLE_CHARS_MAX, 'title')
    requireUrl(url)
  }
}

function requireList(value: unknown, min: number, max: number, name: string): unknown[] {
  if (Array.isArray(value) && value.length >= min && value.length <= max) return value
  throw new BadRequest(`Param ${name} must be a list of ${min} to ${max}`)
}

function requireText(value: unknown, charsMax: number, name: string): void {
  if (typeof value === 'string' && value.trim() !== '' && lengthOf(value) <= charsMax) return
  throw new BadRequest(`Length of param ${name} must be from 1 to ${charsMax}`)
}

function requireUrl(value: unknown): void {
  if (typeof value === 'string' && /^https?:\/\//.test(value) && URL.canParse(value)) return
  throw new BadRequest('Param url should represent a valid URL')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
