import { describe, expect, test } from 'vitest'
import { fromCell, parseConversation } from './conversation-line.js'

const parse = (record: unknown, marksVips = true) => parseConversation(record, marksVips)
const line = (fields: object = {}) => ({ conversationId: 'c1', cuid: 'u1', ...fields })

describe('parseConversation', () => {
  test('accepts every field, and names in the row what the line names', () => {
    expect(parse(line())).toEqual({ conversation_id: 'c1', cuid: 'u1' })
    const full = {
      userName: 'ada',
      firstName: 'Ada 🌸',
      lastName: 'עדה',
      profilePic: 'https://pictures.example/1.jpg',
      birthday: '2000-02-29',
      lastPurchaseTimestamp: 0,
      lastUserMessageTimestamp: 1732092000001,
      lastAppOpenTimestamp: 8_640_000_000_000_000,
      lifetimeValue: -1.5e-3,
      vip: true,
    }
    expect(parse(line(full))).toEqual({
      conversation_id: 'c1',
      cuid: 'u1',
      user_name: 'ada',
      first_name: 'Ada 🌸',
      last_name: 'עדה',
      profile_pic: 'https://pictures.example/1.jpg',
      birthday: '2000-02-29',
      last_purchase_at_ms: 0,
      last_user_message_at_ms: 1732092000001,
      last_app_open_at_ms: 8_640_000_000_000_000,
      lifetime_amount: -0.0015,
      vip: true,
    })
  })

  test('null and an empty text clear a field; a lifetime value becomes 0, and a VIP mark is removed', () => {
    expect(parse(line({ userName: null, firstName: '', birthday: '', lastPurchaseTimestamp: null }))).toEqual({
      conversation_id: 'c1',
      cuid: 'u1',
      user_name: null,
      first_name: null,
      birthday: null,
      last_purchase_at_ms: null,
    })
    expect(parse(line({ lifetimeValue: null, vip: null }))).toMatchObject({ lifetime_amount: 0, vip: false })
  })

  test.each(['2000-02-29', '1999-12-31', '--02-29', '--12-01'])('accepts the birthday %s', (birthday) => {
    expect(parse(line({ birthday }))).toMatchObject({ birthday })
  })

  test.each<[string, unknown, string]>([
    ['a list', [], 'not a JSON object'],
    ['a text', 'c1', 'not a JSON object'],
    ['a number', 5, 'not a JSON object'],
    ['null', null, 'not a JSON object'],
    ['no conversationId', { cuid: 'u1' }, 'conversationId is missing'],
    ['no cuid', { conversationId: 'c1' }, 'cuid is missing'],
    ['an empty conversationId', line({ conversationId: '' }), 'conversationId must be a string'],
    ['conversationId null', line({ conversationId: null }), 'conversationId must be a string'],
    ['a conversationId as a number', line({ conversationId: 12 }), 'conversationId must be a string'],
    ['a cuid of 257 characters', line({ cuid: 'x'.repeat(257) }), 'cuid must be a string'],
    ['cuid null', line({ cuid: null }), 'cuid must be a string'],
    ['an unknown field', line({ nickname: 'a' }), '"nickname" is not a field of an import'],
    ['the field __proto__', JSON.parse('{"conversationId":"c1","cuid":"u1","__proto__":{}}'), '"__proto__" is not'],
    ['the field constructor', line({ constructor: 'a' }), '"constructor" is not'],
    ['a text field with an object', line({ userName: {} }), 'userName must be a string'],
    [
      'a URL of 2,049 characters',
      line({ profilePic: 'x'.repeat(2049) }),
      'profilePic must be a string of at most 2048',
    ],
    ['a name of 257 characters', line({ userName: 'x'.repeat(257) }), 'userName must be a string of at most 256'],
    ['U+0000', line({ firstName: 'a\0b' }), 'firstName must be a string'],
    ['half of a surrogate pair', line({ lastName: '\ud83c' }), 'lastName must be a string'],
    ['the birthday 2026-02-30', line({ birthday: '2026-02-30' }), 'birthday must be a date'],
    ['the birthday 2023-02-29', line({ birthday: '2023-02-29' }), 'birthday must be a date'],
    ['the birthday --02-30', line({ birthday: '--02-30' }), 'birthday must be a date'],
    ['the birthday --13-01', line({ birthday: '--13-01' }), 'birthday must be a date'],
    ['the birthday -02-20', line({ birthday: '-02-20' }), 'birthday must be a date'],
    ['a birthday as a datetime', line({ birthday: '2000-02-20T00:00:00Z' }), 'birthday must be a date'],
    ['a birthday in another form', line({ birthday: '20.02.2000' }), 'birthday must be a date'],
    ['a birthday as a number', line({ birthday: 20000220 }), 'birthday must be a date'],
    ['a timestamp with a fraction', line({ lastPurchaseTimestamp: 1.5 }), 'lastPurchaseTimestamp must be a whole'],
    ['a timestamp as text', line({ lastAppOpenTimestamp: '17' }), 'lastAppOpenTimestamp must be a whole'],
    ['a timestamp before 1970', line({ lastUserMessageTimestamp: -1 }), 'lastUserMessageTimestamp must be a whole'],
    [
      'a timestamp past all dates',
      line({ lastPurchaseTimestamp: 8.64e15 + 1 }),
      'lastPurchaseTimestamp must be a whole',
    ],
    ['an infinite lifetime value', line(JSON.parse('{"lifetimeValue":1e999}')), 'lifetimeValue must be a finite'],
    ['a lifetime value as text', line({ lifetimeValue: '5' }), 'lifetimeValue must be a finite'],
    ['vip as text', line({ vip: 'true' }), 'vip must be true or false'],
    ['vip as a number', line({ vip: 1 }), 'vip must be true or false'],
  ])('rejects %s', (_what, record, reason) => {
    expect(parse(record)).toContain(reason)
  })

  test('vip needs a workspace', () => {
    expect(parse(line({ vip: false }), false)).toContain('?workspaceId=')
  })

  test('reports all mistakes at once, briefly', () => {
    const reason = parse({ conversationId: 5, birthday: 'x', ['n'.repeat(5000)]: 1 })
    for (const part of ['cuid is missing', 'nnn', 'conversationId must', 'birthday must'])
      expect(reason).toContain(part)
    expect(String(reason).length).toBeLessThan(500)
  })
})

describe('fromCell', () => {
  test.each<[string, string, unknown]>([
    ['userName', '', null],
    ['userName', '007', '007'],
    ['lastPurchaseTimestamp', '1732092000000', 1732092000000],
    ['lastPurchaseTimestamp', '1.73E+12', '1.73E+12'],
    ['lastPurchaseTimestamp', ' 17', ' 17'],
    ['lifetimeValue', '-12.50', -12.5],
    ['lifetimeValue', '1e3', 1000],
    ['lifetimeValue', '1,5', '1,5'],
    ['lifetimeValue', 'NaN', 'NaN'],
    ['lifetimeValue', 'Infinity', 'Infinity'],
    ['lifetimeValue', '0x10', '0x10'],
    ['vip', 'TRUE', true],
    ['vip', 'false', false],
    ['vip', 'yes', 'yes'],
  ])('%s of "%s" is %j', (column, cell, value) => {
    expect(fromCell(column, cell)).toEqual(value)
  })
})
