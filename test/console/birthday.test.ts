import { describe, expect, test } from 'vitest'
import { formatBirthday } from '../../src/console/audience/birthday.js'
import { toCsv } from '../../src/console/audience/csv.js'

describe('birthdays', () => {
  test.each([
    ['1977-11-22', '22 November 1977'],
    ['--05-17', '17 May'],
    ['--02-29', '29 February'],
    ['0099-01-02', '2 January 99'],
    ['soon', 'soon'],
  ])('%s reads %s', (birthday, text) => expect(formatBirthday(birthday)).toBe(text))
})

describe('CSV of the audience', () => {
  test('has a header, a row for each person, and times in ISO 8601', () => {
    const row = {
      conversationId: 't_1',
      cuid: 'c',
      firstName: 'Zoë, the 2nd',
      birthday: '--05-17',
      lastPurchaseTimestamp: 0,
      lifetimeValue: 12.5,
      rank: 3,
      vip: true,
    }
    expect(toCsv({ items: [row], currency: 'EUR' }).split('\r\n')).toEqual([
      '\uFEFFconversationId,cuid,userName,firstName,lastName,birthday,lastPurchaseTimestamp,lastUserMessageTimestamp,lastAppOpenTimestamp,profilePic,lifetimeValue,currency,rank',
      't_1,c,,"Zoë, the 2nd",,--05-17,1970-01-01T00:00:00.000Z,,,,12.5,EUR,3',
      '',
    ])
  })
})
