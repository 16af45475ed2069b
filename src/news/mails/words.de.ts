import type { InboxKind } from '../../interface/inbox.js'
import { oneOrMore, type PersonMailKind, plural } from './wording.js'
import type { MailWords, NewsWords, NoticeWords } from './words.js'

// A sentence after the salutation begins in lower case.

const IF_NOT_YOU =
  'Wenn Sie das nicht waren: Melden Sie sich an, melden Sie sich auf allen Geräten ab, ändern Sie Ihr Passwort (beides auf der Seite Ihres Kontos), und sagen Sie es der Administration des Servers.'

const named = (post: string): string => (post === '' ? '' : ` ${post}`)

const NOTICES: Record<PersonMailKind, NoticeWords> = {
  'sign-in': {
    subject: oneOrMore('Neue Anmeldung bei Ihrem Konto', '{n} neue Anmeldungen bei Ihrem Konto'),
    happened:
      'bei Ihrem Konto hat sich jemand mit einem Browser oder aus einem Netz angemeldet, die bisher nicht vorkamen:',
    todo: IF_NOT_YOU,
  },
  'password-set': {
    subject: oneOrMore('Ihr Passwort wurde festgelegt', 'Ihr Passwort wurde {n}-mal festgelegt'),
    happened: 'das Passwort Ihres Kontos wurde festgelegt:',
    todo: 'Wenn Sie das nicht waren: Sagen Sie es sofort der Administration des Servers. Sie beendet Ihre Sitzungen und gibt Ihnen einen Link zum Anmelden; legen Sie dann ein anderes Passwort fest.',
  },
  'provider-linked': {
    subject: oneOrMore(
      'Ihr Konto wurde mit dem Anmeldedienst verknüpft',
      'Ihr Konto wurde {n}-mal mit dem Anmeldedienst verknüpft',
    ),
    happened: 'Ihr Konto wurde mit dem Anmeldedienst verknüpft, über den Sie sich von jetzt an anmelden können:',
    todo: IF_NOT_YOU,
  },
  'factor-added': {
    subject: oneOrMore(
      'Ein zweiter Faktor wurde zu Ihrem Konto hinzugefügt',
      '{n} zweite Faktoren wurden zu Ihrem Konto hinzugefügt',
    ),
    happened: 'zu Ihrem Konto wurde ein zweiter Faktor für die Anmeldung hinzugefügt:',
    todo: IF_NOT_YOU,
  },
  'factor-removed': {
    subject: oneOrMore(
      'Ein zweiter Faktor wurde aus Ihrem Konto entfernt',
      '{n} zweite Faktoren wurden aus Ihrem Konto entfernt',
    ),
    happened: 'aus Ihrem Konto wurde ein zweiter Faktor für die Anmeldung entfernt:',
    todo: IF_NOT_YOU,
  },
  'factors-reset': {
    subject: oneOrMore(
      'Die zweiten Faktoren Ihres Kontos wurden zurückgesetzt',
      'Die zweiten Faktoren Ihres Kontos wurden {n}-mal zurückgesetzt',
    ),
    happened: 'die Administration des Servers hat alle zweiten Faktoren Ihres Kontos entfernt:',
    todo: 'Wenn Sie nicht darum gebeten haben: Sagen Sie es sofort der Administration des Servers. Sonst richten Sie sie auf der Seite Ihres Kontos wieder ein.',
  },
  'token-made': {
    subject: oneOrMore('Ein Programm hat Zugang zu Ihrem Konto', '{n} Programme haben Zugang zu Ihrem Konto'),
    happened: 'ein persönliches Token wurde erstellt, mit dem ein Programm für Sie handelt:',
    todo: IF_NOT_YOU,
  },
  'password-link': {
    subject: () => 'Neues Passwort festlegen',
    happened: 'mit der E-Mail-Adresse Ihres Kontos wurde ein Link angefordert, weil das Passwort vergessen ist:',
    todo: 'Wenn Sie das waren: Mit diesem Link kommen Sie einmal hinein, binnen 30 Minuten, und legen dort ein neues Passwort fest. Wenn Sie das nicht waren, müssen Sie nichts tun: Ihr Passwort bleibt, wie es ist.',
  },
  'operator-token-expiring': {
    subject: oneOrMore('Ein Betriebstoken läuft bald ab', '{n} Betriebstoken laufen bald ab'),
    happened: 'ist ein Betriebstoken abgelaufen, wird es abgelehnt:',
    todo: 'Stellen Sie ein anderes aus, stellen Sie um, was dieses benutzt, und widerrufen Sie es: mit `greenroom operator-tokens issue` oder in den Einstellungen des Servers in der Konsole.',
  },
}

const NEWS: Record<InboxKind, NewsWords> = {
  returned: {
    subject: oneOrMore('Ihr Beitrag wurde zurückgegeben', '{n} Ihrer Beiträge wurden zurückgegeben'),
    said: (post, by) => `Ihr Beitrag${named(post)} wurde von ${by} zurückgegeben`,
    quoted: ', mit dieser Begründung:',
    unquoted: '. Die Begründung steht in der Konsole.',
  },
  approved: {
    subject: oneOrMore('Ihr Beitrag wurde freigegeben', '{n} Ihrer Beiträge wurden freigegeben'),
    said: (post, by) => `Ihr Beitrag${named(post)} wurde von ${by} freigegeben. Er wird zu seiner Zeit veröffentlicht.`,
  },
  failed: {
    subject: oneOrMore('Ihr Beitrag wurde nicht veröffentlicht', '{n} Ihrer Beiträge wurden nicht veröffentlicht'),
    said: (post) => `Ihr Beitrag${named(post)} wurde nicht auf jedem Kanal veröffentlicht`,
    quoted: ', aus diesem Grund:',
    unquoted: '. Der Grund steht in der Konsole.',
  },
  published: {
    subject: oneOrMore('Ihr Beitrag wurde veröffentlicht', '{n} Ihrer Beiträge wurden veröffentlicht'),
    said: (post) => `Ihr Beitrag${named(post)} wurde veröffentlicht.`,
  },
  mentioned: {
    subject: oneOrMore('Sie wurden in einer Diskussion erwähnt', 'Sie wurden {n}-mal in Diskussionen erwähnt'),
    said: (post, by) => `Sie wurden in der Diskussion des Beitrags${named(post)} von ${by} erwähnt`,
    quoted: ':',
    unquoted: '. Die Nachricht steht in der Konsole.',
  },
  replied: {
    subject: oneOrMore('Es gibt eine neue Nachricht zu einem Beitrag', 'Es gibt {n} neue Nachrichten zu Beiträgen'),
    said: (post, by) => `In der Diskussion des Beitrags${named(post)} gibt es eine Nachricht von ${by}`,
    quoted: ':',
    unquoted: '. Sie steht in der Konsole.',
  },
}

export const words: MailWords = {
  hello: (name) => (name === '' ? 'Guten Tag,' : `Guten Tag ${name},`),
  quote: (text) => `„${text}“`,
  unexpected: 'Wenn Sie das nicht erwartet haben, müssen Sie nichts tun.',
  byRole:
    'Sie bekommen diese E-Mail wegen Ihrer Rolle dort. In der Konsole können Sie solche E-Mails für sich ausschalten.',
  invitation: {
    subject: (organization) => `Einladung zu einer Organisation namens „${organization}“`,
    text: (organization) =>
      `Sie sind eingeladen, in Greenroom mit einer Organisation zu arbeiten, die sich „${organization}“ nennt: Den Namen hat ihr gegeben, wer Sie einlädt. Mit diesem Link kommen Sie hinein; er gilt einmal und 7 Tage lang:`,
  },
  reviewLink: {
    subject: (organization) => `${organization} bittet um Ihre Freigabe`,
    text: (organization) =>
      `eine Organisation, die sich „${organization}“ nennt, bittet Sie, Beiträge vor der Veröffentlichung anzusehen. Dieser Link öffnet sie; Sie geben jeden davon frei oder zurück und brauchen kein Konto:`,
    keep: 'Behalten Sie diese E-Mail für sich: Wer den Link hat, kann in Ihrem Namen entscheiden.',
  },
  approval: {
    subject: (many, organization) =>
      plural(
        many,
        `Ein Beitrag von ${organization} wartet auf Freigabe`,
        `${many.text} Beiträge von ${organization} warten auf Freigabe`,
      ),
    text: oneOrMore('ein Beitrag wurde zur Freigabe gegeben:', '{n} Beiträge wurden zur Freigabe gegeben:'),
  },
  postFailed: {
    subject: (many, organization) =>
      plural(
        many,
        `Ein Beitrag von ${organization} wurde nicht veröffentlicht`,
        `${many.text} Beiträge von ${organization} wurden nicht veröffentlicht`,
      ),
    text: (many) =>
      `${plural(many, 'ein Beitrag konnte', `${many.text} Beiträge konnten`)} nicht auf jedem Kanal veröffentlicht werden. Die Konsole sagt, warum, und lässt Sie es noch einmal versuchen:`,
  },
  tokenRefused: {
    subject: (organization) => `${organization} muss wieder mit der Plattform verbunden werden`,
    text: (many) =>
      `die Plattform lehnt ${plural(many, 'das Zugriffstoken eines Kanals oder Werbekontos', `die Zugriffstoken von ${many.text} Kanälen oder Werbekonten`)} ab: Dort wird nichts veröffentlicht oder gelesen, bis Sie die Verbindung erneuern.`,
  },
  keyExpiring: {
    subject: (many, organization) =>
      plural(
        many,
        `Ein Schlüssel von ${organization} läuft bald ab`,
        `${many.text} Schlüssel von ${organization} laufen bald ab`,
      ),
    text: oneOrMore(
      'dieser Schlüssel läuft binnen 14 Tagen ab, und Programme, die ihn benutzen, werden dann abgelehnt. Stellen Sie einen anderen aus, stellen Sie die Programme um, und widerrufen Sie den alten:',
      'diese Schlüssel laufen binnen 14 Tagen ab, und Programme, die sie benutzen, werden dann abgelehnt. Stellen Sie andere aus, stellen Sie die Programme um, und widerrufen Sie die alten:',
    ),
  },
  notices: NOTICES,
  from: (address) => `von ${address}`,
  unknownAddress: 'einer unbekannten Adresse',
  browser: (browser, system) =>
    `mit ${browser ?? 'einem unbekannten Browser'}${system === undefined ? '' : ` auf ${system}`}`,
  tokenEnds: (token, time) => `${token}, läuft ab: ${time}`,
  before: (many) => `und ${many.text} davor`,
  gathered: (time) => `Es waren mehrere solcher E-Mails. Was folgt, kommt in einer einzigen, nicht vor ${time}.`,
  server: (url) => `Der Server: ${url}`,
  news: NEWS,
  newsOf: (subject, organization) => `${subject} (${organization})`,
  severalNews: (many) => `Neues zu Ihren Beiträgen: ${many.text}`,
  moreNews: (many) => `In Ihrem Eingang gibt es noch mehr Neues: ${many.text}.`,
  allNews: (url) => `Alles Neue steht in Ihrem Eingang: ${url}`,
  whyNews:
    'Sie bekommen diese E-Mail, weil Sie diese Beiträge geschrieben haben oder in ihren Diskussionen genannt wurden. In den Einstellungen der Konsole wählen Sie unter „Sie“, welche Neuigkeiten Sie per E-Mail bekommen.',
  someone: 'einer anderen Person',
  program: 'einem Programm',
  operator: 'der Betriebsleitung des Servers',
}
