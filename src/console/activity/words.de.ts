import { postWords } from '../posts/words.ts'
import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, number } = common

/** The verbs of the change log, by operation; the name of the target follows. */
const DEEDS: Record<string, string> = {
  createScheduledPost: 'schrieb',
  updateScheduledPost: 'änderte',
  submitScheduledPostForApproval: 'bat um Freigabe für',
  approveScheduledPost: 'erteilte die Freigabe für',
  rejectScheduledPost: 'gab zurück:',
  revertScheduledPost: 'setzte auf Entwurf zurück:',
  retryScheduledPost: 'plante noch einmal',
  deleteScheduledPost: 'löschte den Beitrag',
  claimed: 'begann zu veröffentlichen:',
  published: 'veröffentlichte',
  failed: 'konnte nicht veröffentlichen:',
  importScheduledPosts: 'importierte',
  createPostSeries: 'ließ einen Beitrag sich wiederholen, als die Serie',
  stopPostSeries: 'beendete die Serie',
  createSavedText: 'speicherte den Textbaustein',
  updateSavedText: 'änderte den Textbaustein',
  deleteSavedText: 'löschte den Textbaustein',
  uploadMedia: 'lud die Datei hoch:',
  uploadSmallPicture: 'gab der Datei ein kleines Bild:',
  deleteMedia: 'löschte die Datei',
  createSuperpower: 'speicherte die Superkraft',
  updateSuperpower: 'änderte die Superkraft',
  deleteSuperpower: 'löschte die Superkraft',
  createOrganization: 'legte die Organisation an:',
  updateOrganization: 'änderte die Organisation',
  deleteOrganization: 'löschte die Organisation',
  issueKey: 'stellte den Schlüssel aus:',
  updateKey: 'änderte den Schlüssel',
  revokeKey: 'widerrief den Schlüssel',
  removeRevokedKeys: 'entfernte alte widerrufene Schlüssel von',
  removePostContent: 'entfernte den Inhalt alter Beiträge von',
  removeUnusedMedia: 'entfernte unbenutzte Dateien von',
  createWorkspace: 'legte den Arbeitsbereich an:',
  updateWorkspace: 'benannte den Arbeitsbereich um:',
  deleteWorkspace: 'löschte den Arbeitsbereich',
  createChannel: 'fügte den Kanal hinzu:',
  updateChannel: 'änderte den Kanal',
  deleteChannel: 'löschte den Kanal',
  connectChannel: 'nahm in einen Arbeitsbereich den Kanal auf:',
  disconnectChannel: 'entfernte aus einem Arbeitsbereich den Kanal',
  createAdAccount: 'fügte das Werbekonto hinzu:',
  connectAdAccount: 'verband oder trennte das Werbekonto',
  updateAdAccount: 'änderte das Werbekonto',
  deleteAdAccount: 'löschte das Werbekonto',
  undoDecision: 'nahm die eigene Entscheidung zurück über',
  markVip: 'markierte einen VIP von',
  unmarkVip: 'hob die Markierung eines VIP auf von',
  changeVipMarks: 'änderte, wer VIP ist, von',
  createSegment: 'speicherte ein Segment',
  updateSegment: 'änderte das Segment',
  deleteSegment: 'löschte das Segment',
  importConversations: 'importierte Personen von',
  deleteConversation: 'löschte eine Unterhaltung von',
  erasePerson: 'löschte eine Person:',
  readmitPerson: 'ließ eine Person wieder zu:',
  createInvitation: 'lud ein:',
  revokeInvitation: 'widerrief die Einladung von',
  acceptInvitation: 'trat bei:',
  finishOidcSignIn: 'bekam vom Anmeldedienst die Rolle von',
  createReviewLink: 'sandte nach außen zur Freigabe, mit dem Link',
  revokeReviewLink: 'widerrief den Link',
  sendReviewLink: 'sandte per E-Mail zur Freigabe, mit dem Link',
  approvePostForReview: 'erteilte über einen Link die Freigabe für',
  returnPostForReview: 'gab über einen Link zurück:',
  undoDecisionForReview: 'nahm über einen Link die eigene Entscheidung zurück über',
  setPostingSlots: 'legte die Sendeplätze fest von',
  createOwnCalendarFeed: 'erzeugte eine neue Kalenderadresse von',
  deleteOwnCalendarFeed: 'löschte die Kalenderadresse von',
  createDiscussionMessage: 'schrieb eine Nachricht über',
  createMessageForReview: 'schrieb über einen Link eine Nachricht über',
  updateMessageForReview: 'bearbeitete über einen Link eine Nachricht über',
  deleteMessageForReview: 'löschte über einen Link eine Nachricht über',
  updateDiscussionMessage: 'bearbeitete eine Nachricht über',
  deleteDiscussionMessage: 'löschte eine Nachricht über',
  resolveDiscussionMessage: 'erledigte ein Thema über',
  reopenDiscussionMessage: 'öffnete wieder ein Thema über',
  updateMember: 'änderte die Rechte von',
  createWebhook: 'fügte den Webhook hinzu:',
  updateWebhook: 'änderte den Webhook',
  rotateWebhookSecret: 'ersetzte das Geheimnis des Webhooks',
  testWebhook: 'sandte einen Test an den Webhook',
  resendWebhookDelivery: 'sandte ein Ereignis noch einmal an den Webhook',
  deleteWebhook: 'entfernte den Webhook',
  removeMember: 'entfernte',
  requestPasswordLink: 'sandte per E-Mail einen Anmeldelink an',
}

const CHANGES: Record<string, string> = {
  name: 'Name',
  timeZone: 'Zeitzone',
  language: 'Sprache der E-Mails',
  fourEyes: 'vier Augen',
  reviewers: 'externe Prüfer',
  requireSecondFactor: 'zweiter Faktor für alle',
  active: 'aktiv',
  connected: 'verbunden',
  role: 'Rolle',
  mayApprove: 'gibt Beiträge frei',
  mail: 'E-Mail-Adresse',
  permissions: 'darf',
  allowedAddresses: 'nur von',
  expiresAt: 'bis',
  notes: 'Notizen',
  type: 'Art',
  host: 'bei',
  url: 'Adresse',
  events: 'Ereignisse',
  currency: 'Währung',
  automation: 'Superkräfte',
  scheduledFor: 'Zeit',
  channels: 'Kanäle',
  requestsPerSecond: 'Anfragen pro Sekunde',
  contentType: 'Datei',
  reason: 'Grund',
  rolesUntold: 'Rolle behalten, weil der Anmeldedienst keine genannt hat',
}

/** Steps of the publisher, which are no operations. */
const STEPS = ['claimed', 'published', 'failed']

/** A field that has no word here is told by its name, in words: `verifyToken` is `verify token`. */
const nameOfField = (name: string): string =>
  CHANGES[name] ?? name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

export const words: typeof english = {
  title: 'Aktivität',
  attention: 'Braucht Aufmerksamkeit',
  nothingFailed: (days, connected, lacking) =>
    [
      days === 1
        ? 'Kein Beitrag des letzten Tages ist fehlgeschlagen.'
        : `Kein Beitrag der letzten ${number(days)} Tage ist fehlgeschlagen.`,
      connected === 0
        ? ''
        : connected === 1 && lacking === 0
          ? 'Die Plattform nimmt das Token des Kanals an.'
          : connected === 1
            ? 'Die Plattform nimmt das eine Token an, das ein Kanal hat.'
            : `Die Plattformen nehmen die ${number(connected)} Token an, die Kanäle haben.`,
      lacking === 0
        ? ''
        : `${count(lacking, 'Kanal hat', 'Kanäle haben')} kein Token: Dort wird nichts veröffentlicht.`,
    ]
      .filter(Boolean)
      .join(' '),
  refused: (channel) => `Die Plattform lehnt das Token von ${channel} ab: Dort wird nichts veröffentlicht.`,
  reconnect: 'Wieder verbinden',
  askToReconnect: 'Die Administration verbindet ihn wieder.',
  wasDue: (time) => `Er war ${time} fällig. Öffnen Sie ihn, um es noch einmal zu versuchen.`,
  showFailed: (many) =>
    `${count(many, 'weiteren fehlgeschlagenen Beitrag', 'weitere fehlgeschlagene Beiträge')} zeigen`,
  forAdministrators: 'Das Änderungsprotokoll wird der Administration gezeigt.',
  trail: 'Änderungsprotokoll',
  what: 'Art',
  everything: 'Alles',
  whats: {
    scheduledPost: 'Beiträge',
    discussion: 'Diskussionen',
    channel: 'Kanäle',
    connection: 'Kanäle in Arbeitsbereichen',
    workspace: 'Arbeitsbereiche',
    adAccount: 'Werbekonten',
    key: 'Schlüssel',
    user: 'Personen',
    invitation: 'Einladungen',
    organization: 'Die Organisation',
    superpower: 'Superkräfte',
    media: 'Hochgeladene Dateien',
    savedText: 'Textbausteine',
    postSeries: 'Serien von Beiträgen',
    vipMark: 'VIP-Markierungen',
    segment: 'Segmente',
    conversation: 'Unterhaltungen',
    person: 'Gelöschte Personen',
    webhook: 'Webhooks',
  },
  who: 'Von',
  everyone: 'Alle',
  key: 'Schlüssel',
  byToken: 'durch ein Programm',
  post: 'einen Beitrag',
  onlyBy: (name) => `Nur zeigen, was ${name} getan hat`,
  actor: (type, id) =>
    ({
      operator: id === undefined ? 'Die Betriebsleitung' : `Die Betriebsleitung (${id})`,
      publisher: 'Der Veröffentlicher',
      key: `Schlüssel ${id}`,
      user: 'Ein gelöschtes Konto',
      outsider: 'Jemand von außen',
    })[type] ?? type,
  did: (operation, action) =>
    (operation === 'publishScheduledPost' ? DEEDS[action ?? ''] : DEEDS[operation]) ??
    operation.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  changedField: (name, channelName) =>
    name.startsWith('channels.')
      ? postWords.changedOn(channelName(name.slice('channels.'.length)))
      : common.field(name),
  change: (name, value) => `${nameOfField(name)}: ${value}`,
  changed: (name, before, after) => `${nameOfField(name)}: ${before} → ${after}`,
  noValue: 'nichts',
  untold: {
    elsewhere: 'es sind mehr Gruppen, als sein Token fasst',
    absent: 'der Claim fehlt',
    malformed: 'der Claim ist keine Liste von Texten',
  } as Readonly<Record<string, string>>,
  fileType: postWords.fileKind,
  from: 'Von',
  to: 'Bis',
  operation: 'Aktion',
  deeds: Object.fromEntries(Object.entries(DEEDS).filter(([operation]) => !STEPS.includes(operation))) as Readonly<
    Record<string, string>
  >,
  onlyPost: 'Nur dieser Beitrag',
  ofPost: 'Nur die Änderungen eines Beitrags werden gezeigt.',
  allPosts: 'Alle Änderungen zeigen',
  fromAddress: (address) => `von ${address}`,
  exportCsv: 'CSV exportieren',
  repeated: (times, until, ended) =>
    `${times === 1 ? 'Einmal' : `${number(times)}-mal`} wiederholt, zuletzt ${until}${ended === '' ? '' : `: ${ended}`}`,
  yes: 'ja',
  no: 'nein',
  emptyTitle: 'Hier ist nichts',
  empty: 'Wählen Sie einen anderen Filter.',
  emptySoFar: 'Unter diesen Einträgen passt keiner. Gehen Sie weiter zu älteren, oder wählen Sie einen anderen Filter.',
  pages: 'Seiten',
  newest: 'Neueste',
  older: 'Ältere',
}
