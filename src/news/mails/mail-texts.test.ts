import { describe, expect, test } from 'vitest'
import { INBOX_KINDS } from '../../interface/inbox.js'
import { LANGUAGES, type Language } from '../../interface/languages.js'
import { PERSON_NOTICES } from '../notify-person.js'
import { inboxMailText, type MailText, mailText, personMailText } from './mail-text.js'
import type { InboxReader, MailedEntry, MailKind } from './mails.store.js'
import { type ReaderRow, toReader } from './reader.js'

const AT = new Date('2026-11-20T09:00:00.000Z')
const PUBLIC_URL = 'https://greenroom.example/app'

const rowOf = (language: Language): ReaderRow => ({
  language,
  browser_locale: null,
  own_time_zone: 'America/Sao_Paulo',
  organization_language: 'en',
  time_zone: 'UTC',
})

const KINDS: MailKind[] = ['invitation', 'review_link', 'approval', 'post_failed', 'token_refused', 'key_expiring']

function ofOrganization(kind: MailKind, language: Language, count: number): MailText {
  const key = { key_id: 'key_1', name: 'Mercado', ends_at: AT }
  return mailText({
    ...{ kind, count, name: 'Ana', organizationName: 'Mercado', organizationId: 'org_1', publicUrl: PUBLIC_URL },
    reader: toReader(rowOf(language)),
    path: '/#path',
    endingKeys: Array(count).fill(key),
  })
}

const PERSON_KINDS = [...PERSON_NOTICES, 'operator-token-expiring', 'password-link'] as const

function ofAccount(kind: (typeof PERSON_KINDS)[number], language: Language, count: number): MailText {
  const at = AT.toISOString()
  const token = { at, name: 'anna', endsAt: at }
  const places = [
    { at, address: '192.0.2.1', browser: 'Firefox on Linux' },
    { at, address: 'an unknown address', browser: 'an unknown browser on macOS' },
    { at, browser: 'an unknown browser' },
  ]
  return personMailText({
    ...{ kind, name: 'Ana', count, quietUntil: AT, publicUrl: PUBLIC_URL },
    reader: toReader(rowOf(language)),
    items: kind === 'operator-token-expiring' ? [token] : places.slice(0, count),
    ...(kind === 'password-link' && { path: '/#path' }),
  })
}

function ofInbox(kinds: readonly MailedEntry['kind'][], language: Language, isProven: boolean): MailText {
  const reader: InboxReader = {
    ...rowOf(language),
    ...{ mail: 'ana@mercado.example', name: 'Ana', is_proven: isProven, organization_name: 'Mercado' },
  }
  const actors = ['user:usr_1', 'key:key_1', 'operator']
  const entries = kinds.map(
    (kind, index): MailedEntry => ({
      ...{ entry_id: `entry_${index}`, kind, scheduled_post_id: 'post_1', actor: actors[index % 3]!, actor_name: null },
      detail: { notes: 'Errado' },
      text: 'Pão',
    }),
  )
  return inboxMailText({ reader, entries, organizationId: 'org_1', publicUrl: PUBLIC_URL })
}

const several = INBOX_KINDS.flatMap((kind) => Array<typeof kind>(5).fill(kind))

const ALL: [name: string, write: (language: Language) => MailText][] = [
  ...KINDS.flatMap((kind) =>
    [1, 1_234].map((count) => [`${kind}, ${count}`, (to) => ofOrganization(kind, to, count)] as (typeof ALL)[number]),
  ),
  ...PERSON_KINDS.flatMap((kind) =>
    [1, 1_234].map((count) => [`${kind}, ${count}`, (to) => ofAccount(kind, to, count)] as (typeof ALL)[number]),
  ),
  ...INBOX_KINDS.flatMap((kind) =>
    [true, false].flatMap((isProven) =>
      [1, 30].map(
        (count) =>
          [
            `${kind}, ${count}, ${isProven ? 'proven' : 'unproven'}`,
            (to) => ofInbox(Array(count).fill(kind), to, isProven),
          ] as (typeof ALL)[number],
      ),
    ),
  ),
  ['all kinds of news', (to) => ofInbox(several, to, true)],
]

/** Returns the text of an email, without its data. */
const saidIn = ({ subject, text }: MailText): string =>
  `${subject}\n${text}`.replaceAll(/https:\S+|`[^`]+`/g, '').replaceAll(/key_1|anna/g, '')

describe.each(LANGUAGES)('every email in %s', (language) => {
  test.each(ALL)('%s is complete and in one language', (_, write) => {
    const mail = write(language)
    expect(mail.language).toBe(language)
    expect(mail.subject).not.toBe('')
    expect(saidIn(mail)).not.toMatch(/undefined|null|NaN|Invalid|\[object|\$\{|function|=>/)
    expect(mail.text).toMatch(/\S\n$/)
    expect(mail.text).not.toMatch(/\n{3}| \n|: \n/)
    if (language === 'en') return
    expect(saidIn(mail)).not.toMatch(/\b(the|your?|this|these|of|is|and|from|with|which|account|posts?|unknown)\b/i)
    // No line is from the English email, except what people wrote and links.
    const english = new Set(write('en').text.split('\n'))
    const repeated = mail.text.split('\n').filter((line) => english.has(line))
    expect(repeated.filter((line) => !/^$|^https:|^ {2}> Errado$/.test(line))).toEqual([])
  })
})

test('numbers are formatted for the reader, with the right plural', () => {
  expect(LANGUAGES.map((language) => ofOrganization('approval', language, 1_234).subject)).toEqual([
    '1,234 posts of Mercado wait for approval',
    '1.234 publicações de Mercado aguardam aprovação',
    '1234 publicaciones de Mercado esperan aprobación',
    '1.234 Beiträge von Mercado warten auf Freigabe',
  ])
  expect(LANGUAGES.map((language) => ofOrganization('approval', language, 1).subject)).toEqual([
    'A post of Mercado waits for approval',
    'Uma publicação de Mercado aguarda aprovação',
    'Una publicación de Mercado espera aprobación',
    'Ein Beitrag von Mercado wartet auf Freigabe',
  ])
})

describe('a reader', () => {
  const read = (row: Partial<ReaderRow>) => {
    const nothing = { language: null, browser_locale: null, own_time_zone: null }
    const { language, instant, time } = toReader({ ...nothing, organization_language: null, time_zone: null, ...row })
    return [language, instant(AT), time(AT)]
  }

  test.each<[row: Partial<ReaderRow>, read: string[]]>([
    [{}, ['en', 'Fri, 20 Nov 2026, 09:00 (UTC)', '09:00 (UTC)']],
    [
      { language: 'de', own_time_zone: 'Europe/Berlin', time_zone: 'Asia/Tokyo', organization_language: 'es' },
      ['de', 'Fr., 20. Nov. 2026, 10:00 (Europe/Berlin)', '10:00 (Europe/Berlin)'],
    ],
    // The browser determines the kind of English, and the language if none was chosen.
    [{ language: 'en', browser_locale: 'en-US' }, ['en', 'Fri, Nov 20, 2026, 09:00 (UTC)', '09:00 (UTC)']],
    [
      { browser_locale: 'pt-BR', organization_language: 'es', time_zone: 'America/Sao_Paulo' },
      ['pt', 'sex., 20 de nov. de 2026, 06:00 (America/Sao Paulo)', '06:00 (America/Sao Paulo)'],
    ],
    [{ browser_locale: 'es' }, ['es', 'vie, 20 nov 2026, 09:00 (UTC)', '09:00 (UTC)']],
    // The region of another language does not apply to the chosen one.
    [{ language: 'de', browser_locale: 'en-US' }, ['de', 'Fr., 20. Nov. 2026, 09:00 (UTC)', '09:00 (UTC)']],
    [{ organization_language: 'es' }, ['es', 'vie, 20 nov 2026, 09:00 (UTC)', '09:00 (UTC)']],
  ])('with %j reads %j', (row, expected) => {
    expect(read(row)).toEqual(expected)
  })
})
