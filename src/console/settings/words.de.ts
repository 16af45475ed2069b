import type { AutomationMode } from '../../interface/automation.ts'
import type { InboxKind } from '../../interface/inbox.ts'
import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { count, list } = common

const CHANNEL_HEALTH = {
  connected: 'Verbunden',
  'not-connected': 'Nicht verbunden: Ohne Zugriffstoken wird dort nichts veröffentlicht',
  'needs-reconnect': 'Die Plattform lehnt sein Token ab, deshalb wird dort nichts veröffentlicht',
}

const KEY_PERMISSIONS = {
  'channels:read': 'Kanäle sehen',
  'audience:read': 'Publikum lesen',
  'audience:mark': 'VIPs markieren',
  'audience:write': 'Personen importieren und löschen',
  'insights:read': 'Auswertungen lesen',
  'posts:read': 'Beiträge lesen',
  'posts:write': 'Beiträge schreiben',
  'superpowers:read': 'Superkräfte lesen',
  'superpowers:write': 'Superkräfte schreiben',
  'settings:read': 'Einstellungen lesen',
  'settings:write': 'Einstellungen ändern',
  'audit:read': 'Aktivität lesen',
  api: 'Auch /api aufrufen, nicht nur /v1',
}

export const words: typeof english = {
  title: 'Einstellungen',
  titleOf: (section) => `Einstellungen: ${section}`,
  sections: {
    organization: 'Organisation',
    people: 'Personen',
    channels: 'Kanäle',
    'ad-accounts': 'Werbekonten',
    keys: 'Schlüssel',
    sources: 'Quellen',
    webhooks: 'Webhooks',
    account: 'Sie',
    server: 'Server',
  },
  saved: 'Gespeichert.',
  name: 'Name',
  add: 'Hinzufügen',
  kind: 'Art',
  rename: 'Umbenennen',
  renameTitle: (name) => `${name} umbenennen`,
  delete: 'Löschen',
  deleteTitle: (name) => `${name} löschen?`,
  nameToDelete: (name) => `Um endgültig zu löschen, tippen Sie den Namen: ${name}`,
  nameDiffers: 'Das ist nicht der Name.',
  deleted: (name) => `${name} ist gelöscht.`,
  deletePerson: (mail) =>
    `Der Name, die Adresse ${mail} und alle Wege zur Anmeldung werden in allen Organisationen endgültig gelöscht. Was die Person getan hat, bleibt, als das eines gelöschten Kontos. Die Adresse kann wieder eingeladen werden.`,
  link: 'Link',
  until: (time) => `bis ${time}`,
  since: (day) => `seit ${day}`,

  preferences: 'Sprache und Zeitzone',
  preferred: (language, zone) => `${language} · ${zone}`,
  language: 'Sprache',
  languageHint: 'In ihr bekommen Sie auch E-Mails.',
  browserLanguage: 'Die Sprache des Browsers',
  ownTimeZone: 'Ihre Zeitzone',
  ownTimeZoneHint: 'In ihr gilt alles, was Sie sehen und tippen. Die anderen behalten ihre.',
  organizationZone: (zone) => `Die Zeitzone der Organisation (${zone})`,
  timeZone: 'Zeitzone',
  timeZoneHint: (zone, time) =>
    `Alle hier lesen und schreiben Zeiten in dieser Zone, wo sie auch sind. In ${zone} ist es ${time}.`,
  mailLanguage: 'Sprache der E-Mails',
  mailLanguageHint: 'Für Personen von außen und für Mitglieder, deren eigene Sprache nicht bekannt ist.',

  ownCurrency: 'Währung',
  ownCurrencyHint:
    'Drei Buchstaben, etwa EUR. In ihr sind Kundenwerte, und Käufe in ihr zählen. Leer: Käufe werden aufbewahrt und zählen nicht.',

  members: 'Personen',
  noMemberTitle: 'In dieser Organisation ist noch niemand',
  noMember: 'Inhaber des Servers sehen sie, ohne Mitglied zu sein. Laden Sie ein, wer mit ihr arbeitet.',
  you: 'Sie selbst',
  inactive: 'darf sich nicht anmelden',
  unproven: 'Adresse nicht bestätigt',
  confirmMail: 'Adresse bestätigen',
  confirmMailText: (mail) =>
    `Bestätigen Sie nur, wenn Sie wissen, dass ${mail} dieser Person gehört: Das Konto kann dann Einladungen zu anderen Organisationen annehmen.`,
  invite: 'Person einladen',
  invited: 'Eingeladen',
  mail: 'E-Mail-Adresse',
  role: 'Rolle',
  roleOf: (name) => `Rolle von ${name}`,
  changeRole: 'Rolle ändern',
  roleText: 'Die neuen Rechte gelten sofort, auch wo die Person angemeldet ist.',
  ownRole: 'Das sind Ihre eigenen Rechte. Mit weniger davon können Sie das vielleicht nicht mehr rückgängig machen.',
  roleMay: {
    VIEWER: 'liest',
    EDITOR: 'liest, schreibt Beiträge und markiert VIPs',
    ADMIN: 'tut all das, und ändert Einstellungen, Personen und Schlüssel',
  },
  roles: { VIEWER: 'Lesen', EDITOR: 'Redaktion', ADMIN: 'Administration' },
  rolesHint:
    '„Lesen“ liest nur. „Redaktion“ schreibt auch Beiträge und markiert VIPs. „Administration“ ändert auch diese Einstellungen. Beiträge freizugeben ist ein eigenes Recht.',
  approves: 'Gibt Beiträge frei',
  changedRights: (name) => `Die Rechte von ${name} sind geändert. Sie gelten sofort.`,
  endFourEyes: 'Vier Augen ausschalten?',
  endFourEyesText: 'Von da an kann jemand freigeben, was er selbst geschrieben hat.',
  endIt: 'Ausschalten',
  reviewers: 'Externe Prüfer',
  reviewersHint:
    'E-Mail-Adressen, eine je Zeile. Alle, die schreiben, dürfen diesen Personen Prüflinks für Beiträge per E-Mail senden und sehen dabei den Link nicht. Leer lassen, damit das nur darf, wer freigibt. Eine Adresse, die Sie hinzufügen, gibt eine Stunde lang Ihre eigenen Beiträge nicht frei.',
  saveReviewers: 'Prüfer speichern',
  fourEyes: 'Vier Augen: Niemand gibt einen Beitrag frei, den er geschrieben oder zuletzt geändert hat',
  remove: 'Entfernen',
  removeTitle: (name) => `${name} entfernen?`,
  removeText: 'Die Person wird sofort von dieser Organisation abgemeldet. Was sie getan hat, behält ihren Namen.',
  removeSelf: 'Das sind Sie: Sie verlieren sofort den Zugang zu dieser Organisation.',
  makeLink: 'Link erstellen',
  inviteReady: 'Die Einladung ist bereit',
  inviteLead: (mail, time) =>
    `Senden Sie diesen Link an ${mail}, falls ihn dieser Server nicht per E-Mail gesandt hat. Er gilt einmal, bis ${time}, und wird nur einmal gezeigt.`,
  takeBack: 'Widerrufen',
  takeBackTitle: (mail) => `Die Einladung von ${mail} widerrufen?`,
  takeBackText: 'Ihr Link gilt dann nicht mehr.',

  workspaces: 'Arbeitsbereiche',
  workspacesHint: 'In einem VIP-Arbeitsbereich werden die Personen seiner Kanäle aufgelistet und als VIPs markiert.',
  workspaceTypes: { VIP: 'VIP-Arbeitsbereich', STANDARD: 'Einfacher Arbeitsbereich' },
  addWorkspace: 'Arbeitsbereich hinzufügen',
  inWorkspaces: (channel) => `von ${channel}`,
  putIn: (channel, workspace, on) =>
    on ? `${channel} ist jetzt in ${workspace}.` : `${channel} ist nicht mehr in ${workspace}.`,
  takeOut: 'Aus dem Arbeitsbereich entfernen',
  takeOutTitle: (channel, workspace) => `${channel} aus ${workspace} entfernen?`,
  takeOutText:
    'Seine Personen bleiben, aber ihre VIP-Markierungen im Arbeitsbereich werden gelöscht und kommen nicht zurück, wenn Sie den Kanal wieder aufnehmen.',
  deleteWorkspace: 'Seine VIP-Markierungen werden mit ihm gelöscht. Die Kanäle und ihre Personen bleiben.',
  deleteChannel:
    'Seine Personen, ihre VIP-Markierungen und sein Token werden mit ihm gelöscht. Veröffentlichte Beiträge bleiben auf der Plattform, und hier mit seinem Namen; Entwürfe brauchen einen anderen Kanal.',
  postsFail:
    'Trotzdem löschen: Beiträge, die dort gleich erscheinen sollen, schlagen fehl. Auf ihren anderen Kanälen werden sie dennoch veröffentlicht.',
  channelCount: (many) => count(many, 'Kanal', 'Kanäle'),
  addChannel: 'Kanal hinzufügen',
  noChannelTitle: 'Es gibt noch keinen Kanal',
  noChannel:
    'Ein Kanal ist eine Facebook-Seite oder ein Instagram-Konto, auf dem Sie veröffentlichen und dessen Personen Sie auflisten.',
  health: CHANNEL_HEALTH,
  platformId: 'ID auf der Plattform',
  channelIdHint: 'Die Nummer der Seite oder des Kontos auf der Plattform.',
  token: 'Zugriffstoken',
  tokenOptional: 'Zugriffstoken, wenn Sie es haben',
  tokenHint:
    'Nehmen Sie das Token der Seite, bei einem Instagram-Konto das seiner Seite oder sein eigenes (IG…). Greenroom fragt die Plattform, was es darf.',
  connect: 'Verbinden',
  connectTitle: (name) => `${name} verbinden`,
  replaceToken: 'Token ersetzen',
  connectedNow: (isConnected, end) =>
    isConnected ? `Verbunden.${end ? ` Das Token läuft ${end} ab.` : ''}` : 'Gespeichert. Es besteht keine Verbindung.',
  disconnect: 'Trennen',
  disconnectTitle: (name) => `${name} trennen?`,
  disconnectChannel:
    'Sein Token wird gelöscht. Beiträge, die dort fällig sind, schlagen fehl, bis er wieder verbunden ist.',

  noAccountTitle: 'Es gibt noch kein Werbekonto',
  noAccount: 'Fügen Sie das Konto hinzu, dessen Kampagnen Sie in der Auswertung sehen möchten.',
  addAccount: 'Werbekonto hinzufügen',
  accountIdHint: 'Die Nummer, die die Plattform zeigt, mit oder ohne act_.',
  currency: 'Währung',
  currencyHint: 'Drei Buchstaben, etwa EUR, wie die Plattform sie für das Konto zeigt.',
  accountTokenHint: 'Greenroom fragt die Plattform, ob es das Konto lesen darf.',
  isConnected: 'Verbunden',
  lacksToken: 'Nicht verbunden: Ohne Zugriffstoken gibt es keine Auswertungen',
  edit: 'Bearbeiten',
  editTitle: (name) => `${name} bearbeiten`,
  deleteAccount: 'Sein Token wird mit ihm gelöscht. Seine Auswertungen bleiben auf der Plattform.',
  disconnectAccount: 'Sein Token wird gelöscht. Es hat keine Auswertungen, bis es wieder verbunden ist.',

  keysHint:
    'Programme rufen die API mit einem Schlüssel auf. Ein Schlüssel kann keine Beiträge freigeben: Das können nur Menschen.',
  newKey: 'Neuer Schlüssel',
  noKeyTitle: 'Es gibt keinen Schlüssel',
  noKey: 'Stellen Sie für jedes Programm einen aus, damit sich jeder für sich widerrufen lässt.',
  unnamed: 'Schlüssel ohne Namen',
  keyName: 'Name',
  keyNameHint: 'Zum Beispiel der Name des Programms, das ihn benutzt.',
  keyMay: 'Rechte',
  keyMayNothing: 'Wählen Sie mindestens ein Recht.',
  permissions: KEY_PERMISSIONS,
  mayOf: (permissions) =>
    permissions.length === 0 ? 'Alle Rechte' : `Rechte: ${list(permissions.map((one) => KEY_PERMISSIONS[one]))}`,
  addresses: 'Erlaubte Adressen',
  addressesHint: 'IP-Adressen oder Subnetze, je Zeile eines. Leer lassen, um jede Adresse zu erlauben.',
  onlyFrom: (addresses) => `Nur von ${list(addresses)}`,
  expires: 'Läuft ab',
  expiresHint: 'Der Schlüssel wird vom Beginn dieses Tages an abgelehnt. Ohne Datum läuft er nicht ab.',
  issue: 'Ausstellen',
  issued: (day, who) => `ausgestellt ${day}${who === undefined ? '' : ` von ${who}`}`,
  lastUsed: (time) => (time === undefined ? 'nie benutzt' : `zuletzt benutzt ${time}`),
  revokedAt: (time) => `Widerrufen ${time}`,
  expiredAt: (time) => `Abgelaufen ${time}`,
  rotate: 'Erneuern',
  rotateTitle: (name) => `${name} erneuern?`,
  rotateText:
    'Ein neuer Schlüssel wird ausgestellt, der dasselbe darf. Der bisherige gilt, bis Sie ihn widerrufen, damit dazwischen nichts stillsteht.',
  revoke: 'Widerrufen',
  revokeTitle: (name) => `${name} widerrufen?`,
  revokeText: (used) =>
    `Er wird sofort und endgültig abgelehnt. ${used === undefined ? 'Er wurde nie benutzt.' : `Er wurde zuletzt ${used} benutzt.`}`,
  revoked: 'Widerrufen.',
  keyReady: 'Der Schlüssel ist bereit',
  keyLead: 'Bewahren Sie ihn jetzt auf: Er wird nur einmal gezeigt.',
  keyRotated:
    'Bewahren Sie ihn jetzt auf: Er wird nur einmal gezeigt. Wenn Ihr Programm ihn benutzt, widerrufen Sie den vorigen Schlüssel.',
  keyId: 'ID des Schlüssels',
  secret: 'Geheimnis',
  secretHint: 'Hüten Sie es wie ein Passwort.',
  showOver: (many) =>
    `${count(many, 'abgelaufenen oder widerrufenen Schlüssel', 'abgelaufene oder widerrufene Schlüssel')} zeigen`,
  hideOver: 'Abgelaufene und widerrufene Schlüssel ausblenden',

  changePassword: 'Passwort ändern',
  sessions: 'Sitzungen',
  sessionsHint: 'Beenden Sie die, die Sie nicht kennen, und ändern Sie dann Ihr Passwort.',
  signOutEverywhere: 'Auf allen Geräten abmelden',
  thisOne: 'diese hier',
  browser: (userAgent) => {
    const browser = /Edg|OPR|Firefox|Chrome|Safari/.exec(userAgent)?.[0] ?? 'Ein Browser'
    const system = /iPhone|iPad|Android|Windows|Mac OS|Linux/.exec(userAgent)?.[0]
    const name = { Edg: 'Edge', OPR: 'Opera' }[browser] ?? browser
    return system === undefined ? name : `${name} auf ${system}`
  },
  session: (began, seen) => `seit ${began} · zuletzt gesehen ${seen}`,
  seenFrom: (address) => `von ${address}`,
  endSession: 'Beenden',
  sessionEnded: 'Die Sitzung ist beendet.',

  version: (version) => `Greenroom ${version}`,
  organizations: 'Organisationen',
  addOrganization: 'Organisation hinzufügen',
  stopped: 'Inaktiv: Ihre Schlüssel werden abgelehnt, und keiner ihrer Beiträge wird veröffentlicht',
  stop: 'Deaktivieren',
  stopTitle: (name) => `${name} deaktivieren?`,
  stopText: 'Ihre Schlüssel und Personen werden sofort abgelehnt, und ihre Beiträge warten. Nichts wird gelöscht.',
  start: 'Aktivieren',
  owners: 'Inhaber',
  ownersHint: 'Inhaber sehen und tun alles auf diesem Server.',
  inviteOwner: 'Inhaber einladen',
  ownerLead: (time) =>
    `Senden Sie der Person diesen Link: Er macht sie zu einem Inhaber des Servers. Er gilt einmal, bis ${time}.`,
  mails: 'E-Mails',
  mailsAreOn:
    'Sie bekommen E-Mails zu dieser Organisation: Beiträge, die auf Sie warten, Fehlschläge, wenn Sie zur Administration gehören, und Neues zu Ihren Beiträgen.',
  mailsAbout: 'Ihre Beiträge',
  mailKinds: {
    returned: 'Zurückgegeben',
    approved: 'Freigegeben',
    failed: 'Fehlgeschlagen',
    published: 'Veröffentlicht',
    mentioned: 'Sie werden erwähnt',
    replied: 'Neue Nachrichten',
  } satisfies Record<InboxKind, string>,
  mailsAreOff: 'Sie bekommen keine E-Mails zu dieser Organisation.',
  mailsOn: 'E-Mails einschalten',
  mailsOff: 'E-Mails ausschalten',
  operatorTokens: 'Betriebstoken',
  operatorTokensHint:
    'Mit ihnen betreiben Programme und Personen diesen Server von der Befehlszeile aus: Sie dürfen alles.',
  newToken: 'Neues Betriebstoken',
  tokenNameHint: 'Kleinbuchstaben, Ziffern und Bindestriche. Das Änderungsprotokoll zeigt ihn.',
  tokenReady: 'Das Betriebstoken ist bereit',
  operatorToken: 'Betriebstoken',
  revokeToken: 'Es wird sofort und endgültig abgelehnt.',

  change: 'Ändern',
  demandSubmit: 'Verlangen',
  demandText: 'Wer keinen hat, bleibt aus dieser Organisation ausgesperrt, bis er einen eingerichtet hat.',
  demand: 'Alle hier brauchen einen zweiten Faktor',
  superpowers: 'Superkräfte',
  superpowersHint: 'Steht über den Schaltern der Kanäle: Nirgends tun Superkräfte mehr als hier erlaubt.',
  superpowerModes: {
    off: 'Aus: Auf keinem Kanal geschieht etwas',
    shadow: 'Höchstens Probelauf: Nichts wird gesendet',
    on: 'Wie jeder Kanal es sagt',
  } satisfies Record<AutomationMode, string>,
  demandHint: 'Wer keinen hat, kann diese Organisation nicht öffnen, bis er einen eingerichtet hat.',
  demandMissing: 'Richten Sie zuerst Ihren eigenen zweiten Faktor ein, und melden Sie sich damit an:',
  has: 'zweiter Faktor',
  hasNot: 'kein zweiter Faktor',
  reset: 'Zweiten Faktor zurücksetzen',
  resetTitle: (name) => `Den zweiten Faktor von ${name} zurücksetzen?`,
  resetText:
    'Passkeys, Authenticator-App und Wiederherstellungscodes der Person werden entfernt, und sie wird abgemeldet. Vergewissern Sie sich, dass sie selbst darum bittet: Von da an kann sie sich mit ihrem Passwort allein anmelden.',
  resetDone: (name) => `Der zweite Faktor von ${name} ist zurückgesetzt.`,
  makeSignInLink: 'Anmeldelink',
  signInLinkTitle: (name) => `Einen Anmeldelink für ${name} erstellen?`,
  signInLinkText:
    'Für eine Person, die nicht hineinkommt. Ein früherer Link für sie endet; nach zweiten Faktoren wird weiter gefragt.',
  signInLinkReady: 'Der Anmeldelink ist bereit',
  signInLinkLead: (name, time) =>
    `Geben Sie ihn ${name} und sonst niemandem. Er gilt einmal, bis ${time}, und wird nur einmal gezeigt.`,
  makeOwner: 'Zum Inhaber machen',
  makeOwnerTitle: (name) => `${name} zum Inhaber des Servers machen?`,
  endOwner: 'Inhaberschaft beenden',
  endOwnerTitle: (name) => `Die Inhaberschaft von ${name} beenden?`,
  people: 'Personen mit einem Konto',
  owner: 'Inhaber dieses Servers',
  ends: 'Damit endet auch',
  endsCount: (invitations, reviewLinks, signInLinks) =>
    [
      invitations > 0 ? count(invitations, 'offene Einladung', 'offene Einladungen') : '',
      reviewLinks > 0 ? count(reviewLinks, 'Prüflink', 'Prüflinks') : '',
      signInLinks > 0 ? count(signInLinks, 'Anmeldelink', 'Anmeldelinks') : '',
    ].filter(Boolean),
  endsToken: (name) => `Betriebstoken ${name}`,
  endsNothing: 'Die Person hat keinen Link, keine Einladung und kein Token, die noch gelten.',
  keysOf: 'Von der Person ausgestellte Schlüssel',
  keysOfHint:
    'Ein Schlüssel gilt weiter, wenn Sie ihn nicht hier widerrufen. Wählen Sie die aus, die die Person behalten haben könnte.',
}
