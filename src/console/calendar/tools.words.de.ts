import { common } from '../words.ts'
import type { toolsWords as english } from './tools.words.ts'

const { count } = common

export const toolsWords: typeof english = {
  feed: {
    title: 'In Ihrem Kalenderprogramm',
    lead: 'Eine geheime Adresse, unter der Ihr Kalenderprogramm die Beiträge dieser Organisation liest, von 30 Tagen zuvor bis 180 Tage voraus. Alle, die die Adresse haben, können die Texte lesen: Behalten Sie sie für sich.',
    none: 'Sie haben noch keine solche Adresse.',
    since: (time) => `Ihre Adresse ist von ${time}. Sie lässt sich nicht noch einmal zeigen.`,
    make: 'Adresse erzeugen',
    replace: 'Neue Adresse erzeugen',
    replaceHint: 'Eine neue Adresse beendet Ihre bisherige.',
    remove: 'Adresse löschen',
    removed: 'Die Adresse ist gelöscht.',
    made: 'Ihre Kalenderadresse',
    madeLead: 'Fügen Sie sie in Ihrem Kalenderprogramm als Abonnement hinzu. Sie wird nur jetzt gezeigt.',
    address: 'Adresse',
  },
  slots: {
    title: 'Sendeplätze',
    lead: (zone) =>
      `Die wöchentlichen Zeiten, zu denen die Beiträge eines Kanals erscheinen sollen, in ${zone}. Der Kalender schlägt sie vor; von selbst wird nichts veröffentlicht.`,
    channel: 'Kanal',
    noChannels: 'Es gibt noch keinen Kanal.',
    weekday: 'Wochentag',
    time: 'Uhrzeit',
    add: 'Hinzufügen',
    none: 'Noch keine Sendeplätze.',
    remove: (day, time) => `${day} ${time} entfernen`,
    saved: (many) =>
      many === 0
        ? 'Der Kanal hat jetzt keine Sendeplätze.'
        : `${count(many, 'Sendeplatz', 'Sendeplätze')} gespeichert.`,
    list: 'Sendeplätze des Kanals',
  },
}
