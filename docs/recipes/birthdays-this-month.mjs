// The birthdays of a month, by day, as CSV: node birthdays-this-month.mjs WORKSPACE CHANNEL [MONTH] > birthdays.csv
import { Greenroom } from 'greenroom/client'

const { GREENROOM_URL = 'http://127.0.0.1:8080', GREENROOM_KEY, GREENROOM_SECRET } = process.env
const [workspaceId, mediumId, month = new Date().getMonth() + 1] = process.argv.slice(2)

const client = new Greenroom({ baseUrl: `${GREENROOM_URL}/v1`, key: GREENROOM_KEY, secret: GREENROOM_SECRET })
const rows = []
for await (const user of client.vipUsers.listAll({ workspaceId, mediumId, birthdayMonth: Number(month) })) {
  // YYYY-MM-DD, or --MM-DD if the year is unknown, which a spreadsheet would read as a formula.
  const [, year, monthOfBirth, day] = /^(\d{4}|-)-(\d\d)-(\d\d)$/.exec(user.birthday)
  rows.push([Number(monthOfBirth), Number(day), year === '-' ? '' : year, user.firstName, user.lastName, user.cuid])
}
rows.sort((a, b) => a[1] - b[1])
rows.unshift(['month', 'day', 'year of birth', 'first name', 'last name', 'cuid'])
process.stdout.write(rows.map((row) => `${row.map(toCell).join(',')}\r\n`).join(''))

// RFC 4180. People choose their own names, so anything a spreadsheet would run as a formula gets an apostrophe, also
// after a separator at which it might split the cell.
function toCell(value = '') {
  const text = String(value).replace(/(?<=(?:^|[,;\t\r\n])[ "]*)(?=[=+\-@\t\r])/g, "'")
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
