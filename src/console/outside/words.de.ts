import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count } = common

/** The states of a post of a link, in the overview. */
const STATES = {
  open: 'Wartet auf Sie',
  approved: 'Sie haben ihn freigegeben',
  returned: 'Sie haben ihn zurückgegeben',
  over: 'Wartet nicht mehr',
}

export const words: typeof english = {
  brand: 'Greenroom',
  title: 'Ein Beitrag zur Freigabe · Greenroom',
  asks: (organization) => `${organization} bittet um Ihre Freigabe`,
  linkFor: (name, maker) => `Für ${name}, von ${maker}.`,
  open: (isToSeveral) => (isToSeveral ? 'Beiträge öffnen' : 'Beitrag öffnen'),
  lead: (name, maker) => `Für ${name}, von ${maker}. So wird der Beitrag veröffentlicht.`,
  past: 'Die Zeit dieses Beitrags ist vorbei, deshalb lässt er sich nicht mehr freigeben. Zurückgeben können Sie ihn noch.',
  notYet: 'Noch nicht',
  approveTitle: 'Diesen Beitrag freigeben?',
  approveText: (time) => `Er wird dann ${time} veröffentlicht.`,
  until: (time, zone) => `Dieser Link gilt bis ${time} (${zone}), oder bis über den Beitrag entschieden ist.`,
  thanks: (name) => `Danke, ${name}`,
  approved: (time, zone) => `Der Beitrag ist freigegeben. Er wird ${time} (${zone}) veröffentlicht.`,
  returned: 'Der Beitrag ist mit Ihren Notizen zurückgegeben.',
  done: 'Sie können diese Seite schließen. Der Link gilt nicht mehr.',
  overTitle: 'Dieser Link gilt nicht',
  over: 'Der Link wurde widerrufen oder ist abgelaufen, oder sein einziger Beitrag wartet nicht mehr. Wenn Sie einen Beitrag erwartet haben, fragen Sie dort nach, woher der Link kam.',
  byLinkOf: (name, maker) => `${name} (über einen Link von ${maker})`,
  linksTitle: 'Freigabe von außen',
  linksLead: 'Mit einem Link kann eine Person ohne Konto diesen Beitrag freigeben oder zurückgeben.',
  linkOf: (maker, until) => `von ${maker}, bis ${until}`,
  make: 'Nach außen zur Freigabe senden…',
  forWhom: 'Empfänger',
  forWhomHint: 'Der Verlauf zeigt diesen Namen, etwa „Anna von der Agentur“.',
  worksFor: 'Der Link gilt für',
  makeSubmit: 'Link erstellen',
  madeTitle: (name) => `Der Link für ${name}`,
  link: 'Link',
  madeHint: 'Senden Sie ihn nur dieser Person: Mit ihm können alle entscheiden. Er wird nicht noch einmal gezeigt.',
  revoke: 'Widerrufen',
  revokeOf: (name) => `Den Link für ${name} widerrufen`,
  revoked: (name) => `Der Link für ${name} gilt nicht mehr.`,
  leadSeveral: (name, maker, many) =>
    `Für ${name}, von ${maker}: ${count(many, 'Beitrag, wie er veröffentlicht wird', 'Beiträge, wie sie veröffentlicht werden')}.`,
  untilSeveral: (time, zone) => `Dieser Link gilt bis ${time} (${zone}).`,
  place: (at, of) => `${common.number(at)} von ${common.number(of)}`,
  decidedOf: (decided, of) => `Über ${common.number(decided)} von ${count(of, 'Beitrag', 'Beiträgen')} entschieden`,
  decidedNow: (at, isApproved) =>
    isApproved ? `Beitrag ${at} ist freigegeben.` : `Beitrag ${at} ist mit Ihren Notizen zurückgegeben.`,
  states: {
    open: 'Dieser Beitrag wartet auf Sie.',
    approved: 'Sie haben diesen Beitrag freigegeben.',
    returned: 'Sie haben diesen Beitrag zurückgegeben.',
    over: 'Dieser Beitrag wartet nicht mehr auf Sie: Anderswo wurde über ihn entschieden, oder er wurde geändert.',
  },
  stateOf: (at, state) => `${at}: ${STATES[state]}`,
  skip: 'Überspringen',
  overview: 'Alle Beiträge',
  overviewTitle: 'Alle Beiträge dieses Links',
  goOn: 'Fortfahren',
  show: 'Zeigen',
  /** The time of a post, and the beginning of its text: whole characters, as people see them. */
  beginning: (time, text) =>
    text === '' ? time : `${time} · ${[...text].slice(0, 80).join('')}${[...text].length > 80 ? '…' : ''}`,
  counts: (approved, returned, open) =>
    [
      `Sie haben ${count(approved, 'Beitrag', 'Beiträge')} freigegeben und ${common.number(returned)} zurückgegeben.`,
      open === 0 ? '' : `${count(open, 'Beitrag wartet', 'Beiträge warten')} auf Sie.`,
    ]
      .filter(Boolean)
      .join(' '),
  doneSeveral: (time, zone) =>
    `Sie können diese Seite schließen. Bis ${time} (${zone}) können Sie sie mit dem Link wieder öffnen, um zu sehen oder zurückzunehmen, was Sie entschieden haben.`,
  sendSelected: 'Prüflink…',
  sendWeek: (many) => `Prüflink für diese Woche (${common.number(many)})…`,
  sendTitle: (many) => `Prüflink für ${count(many, 'Beitrag', 'Beiträge')}`,
  sendText:
    'Eine Person ohne Konto entscheidet einzeln über diese Beiträge, über jeden, wie er dann ist. Spätere Beiträge gehören nicht dazu.',
  sendBy: 'Wie er ankommt',
  sendByHint: 'Ein Link, der per E-Mail gesandt wird, wird hier niemandem gezeigt.',
  byHand: 'Ich kopiere den Link und sende ihn',
  byMail: (mail) => `Per E-Mail an ${mail}`,
  sent: (mail) => `Der Link ist unterwegs zu ${mail}.`,
  allTitle: 'Prüflinks',
  allLead: 'Links, mit denen Personen ohne Konto über Beiträge entscheiden und die noch gelten.',
  backToWaiting: 'Wartende Beiträge',
  noLinks: 'Gerade gilt kein Prüflink',
  noLinksHint:
    'Um einen zu erstellen, wählen Sie unter Freigaben Beiträge aus, oder öffnen Sie eine Woche des Kalenders.',
  nameAndMail: (name, mail) => `${name} (${mail})`,
  neverOpened: 'Noch nicht geöffnet',
  opened: (time) => `Zuletzt geöffnet ${time}`,
  toPost: 'Beitrag öffnen',
  isBack: 'Sie haben diesen Beitrag zurückgegeben. Das ist die neue Fassung.',
  endedTitle: 'In den letzten 30 Tagen beendet',
  noneEnded: 'In den letzten 30 Tagen ist kein Link abgelaufen oder beendet worden.',
  whys: {
    approved: 'Der Beitrag wurde über ihn freigegeben',
    returned: 'Der Beitrag wurde über ihn zurückgegeben',
    over: 'Der Beitrag wartet nicht mehr auf Freigabe',
    revoked: 'Widerrufen',
    expired: 'Abgelaufen',
    maker: 'Wer ihn erstellt hat, darf keine Beiträge mehr nach außen senden',
    reviewer: 'Die Adresse gehört nicht mehr zu den Prüfenden',
  },
  endedBecause: (why, time) => `${why}, ${time}`,
}
