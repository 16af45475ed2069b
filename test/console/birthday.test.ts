import { describe, expect, test } from 'vitest'
import { daysAhead, formatBirthday, monthsOf, onDays } from '../../src/console/audience/birthday.js'
import { toCsv } from '../../src/console/audience/csv.js'

describe('birthdays', () => {
  test.each([
    ['1977-11-22', '22 November 1977'],
    ['--05-17', '17 May'],
    ['--02-29', '29 February'],
    ['0099-01-02', '2 January 99'],
    ['soon', 'soon'],
  ])('%s reads %s', (birthday, text) => expect(formatBirthday(birthday)).toBe(text))

  test('in the next days are found across the end of the year, in the order of the days', () => {
    const days = daysAhead('2026-12-29', 7)
    expect(days).toEqual(['12-29', '12-30', '12-31', '01-01', '01-02', '01-03', '01-04'])
    expect(monthsOf(days)).toEqual([12, 1])
    const rows = ['1990-01-04', '--12-29', '1990-01-05', '1980-12-28', '2001-01-01'].map((birthday) => ({ birthday }))
    expect(onDays<{ birthday?: string }>([...rows, {}], days).map(({ birthday }) => birthday)).toEqual([
      '--12-29',
      '2001-01-01',
      '1990-01-04',
    ])
  })

  test('on 29 February count on the 28th in a common year, and on their day in a leap year', () => {
    expect(daysAhead('2027-02-27', 3)).toEqual(['02-27', '02-28', '02-29', '03-01'])
    expect(daysAhead('2028-02-27', 3)).toEqual(['02-27', '02-28', '02-29'])
  })
})

describe('CSV of the audience', () => {
  test('has a header, a row for each person, and times as ISO 8601', () => {
    const row = {
      conversationId: 't_1',
      cuid: 'c',
      firstName: 'Zoë, the 2nd',
      birthday: '--05-17',
      lastPurchaseTimestamp: 0,
    }
    expect(toCsv([row]).split('\r\n')).toEqual([
      '\uFEFFconversationId,cuid,userName,firstName,lastName,birthday,lastPurchaseTimestamp,lastUserMessageTimestamp,lastAppOpenTimestamp,profilePic',
      't_1,c,,"Zoë, the 2nd",,--05-17,1970-01-01T00:00:00.000Z,,,',
      '',
    ])
  })
})
