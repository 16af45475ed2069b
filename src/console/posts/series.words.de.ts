import { common } from '../words.ts'
import type { seriesWords as english } from './series.words.ts'

const { count, list, number } = common

const WEEKDAYS = ['Montag', 'Dienstag', 'Mittwoch', 'Donnerstag', 'Freitag', 'Samstag', 'Sonntag']
const weekday = (day: number): string => WEEKDAYS[day - 1] ?? ''

/** These texts are about posts that repeat. */
export const seriesWords: typeof english = {
  title: 'Serie',
  repeat: 'Wiederholen…',
  dialogTitle: 'Den Beitrag wiederholen',
  lead: 'Aus jeder Zeit wird ein eigener Entwurf mit dem, was dieser Beitrag jetzt sagt. Jeder wird für sich freigegeben, und wenn Sie einen ändern, bleiben die anderen.',
  saveFirst: 'Speichern Sie zuerst den Beitrag, damit die Kopien haben, was Sie getippt haben.',
  hashtags: (hashtags) =>
    `Die Superkraft dieses Beitrags hat ${list(hashtags)}. Auf jedem Kanal gehört ein Hashtag jeweils einem Beitrag, deshalb lässt sich der Beitrag damit nicht wiederholen: Nehmen Sie ihn zuerst heraus.`,
  frequency: 'Wie oft',
  frequencyOf: { DAILY: 'Jeden Tag', WEEKLY: 'Jede Woche', MONTHLY: 'Jeden Monat' },
  weekdays: 'Am',
  weekday,
  dayOfMonth: 'Am Tag',
  dayOfMonthHint: 'In einem kürzeren Monat ist es stattdessen der letzte Tag.',
  time: 'Um',
  timeHint: (zone) =>
    `In ${zone}. Wo die Uhr diese Zeit überspringt, kommt der Beitrag um so viel später; wo sie sie zweimal zeigt, beim ersten Mal.`,
  from: 'Ab',
  end: 'Bis',
  endOf: { count: 'So viele Beiträge', until: 'Ein Tag' },
  count: 'Beiträge',
  until: 'Letzter Tag',
  dates: (many) => `${count(many, 'Entwurf wird', 'Entwürfe werden')} angelegt`,
  none: 'Keine Zeit dieser Regel liegt in der Zukunft.',
  tooMany: (max) => `Das sind mehr als ${number(max)} Beiträge. Wählen Sie ein früheres Ende.`,
  create: (many) => `${count(many, 'Entwurf', 'Entwürfe')} anlegen`,
  created: (many) => `${count(many, 'Entwurf ist', 'Entwürfe sind')} angelegt.`,
  rule: ({ frequency, weekdays = [], dayOfMonth = 1, time }, zone) => {
    const days = {
      DAILY: 'Jeden Tag',
      WEEKLY: `Jede Woche am ${list(weekdays.map(weekday))}`,
      MONTHLY: `Jeden Monat am ${number(dayOfMonth)}.`,
    }
    return `${days[frequency]} um ${time} in ${zone}.`
  },
  isThis: 'dieser Beitrag',
  isFirst: 'der erste',
  stopped: 'Die Serie ist beendet.',
  stop: 'Serie beenden…',
  stopTitle: 'Die Serie beenden?',
  stopText:
    'Ihre künftigen Beiträge, über die noch nicht entschieden ist, werden gelöscht, auch dieser, wenn er einer davon ist. Die anderen bleiben.',
  stopSubmit: 'Beenden und löschen',
  stoppedNow: (many) =>
    many === 0
      ? 'Die Serie ist beendet.'
      : `Die Serie ist beendet: ${count(many, 'Beitrag ist', 'Beiträge sind')} gelöscht.`,
}
