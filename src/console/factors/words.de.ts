import { common } from '../words.ts'
import type { words as english } from './words.ts'

const { number } = common

export const words: typeof english = {
  stepTitle: 'Noch ein Schritt',
  stepSubmit: 'Weiter',
  signOut: 'Abmelden',
  stepImpossible:
    'Dieser Browser kann Ihre Passkeys nicht benutzen. Nehmen Sie einen anderen, oder bitten Sie die Inhaber dieses Servers um Hilfe.',
  ways: {
    passkey: 'Einen Passkey benutzen',
    totp: 'Einen Code aus Ihrer App benutzen',
    'recovery-code': 'Einen Wiederherstellungscode benutzen',
  },
  passkeyLead: 'Ihr Browser fragt nach Fingerabdruck, Gesicht, PIN oder Sicherheitsschlüssel.',
  code: 'Code aus Ihrer Authenticator-App',
  codeHint: 'Sechs Ziffern.',
  recoveryCode: 'Wiederherstellungscode',
  recoveryCodeHint: 'Einer von denen, die Sie beim Einrichten des zweiten Faktors aufbewahrt haben. Jeder gilt einmal.',
  passkeyKnown: 'Dieses Gerät hat schon einen Passkey für Ihr Konto.',
  passkeyFailed: (name) =>
    name === 'NotAllowedError' || name === 'AbortError'
      ? 'Der Passkey wurde nicht benutzt. Versuchen Sie es noch einmal, oder wählen Sie einen anderen Weg.'
      : 'Dieser Browser konnte für diese Adresse keinen Passkey benutzen. Wählen Sie einen anderen Weg.',

  confirmTitle: 'Bestätigen Sie, dass Sie es sind',
  confirmLead: 'Sie haben sich vor einer Weile angemeldet, und diese Änderung braucht eine neue Bestätigung.',
  confirmSignIn: 'Melden Sie sich für diese Änderung ab und wieder an. Bisher wurde nichts geändert.',
  confirmBy: { passkey: 'Einen Passkey benutzen', totp: 'Bestätigen', password: 'Bestätigen' },
  confirmWays: {
    passkey: 'Einen Passkey benutzen',
    totp: 'Einen Code aus Ihrer App benutzen',
    password: 'Ihr Passwort benutzen',
  },

  toFactors: 'Zu Ihrem zweiten Faktor',
  title: 'Zweiter Faktor',
  lead: 'Mit einem zweiten Faktor kommt mit Ihrem Passwort allein niemand hinein.',
  passkeys: 'Passkeys',
  addPasskey: 'Passkey hinzufügen',
  passkeyName: 'Name',
  passkeyNameHint: 'Daran erkennen Sie ihn in dieser Liste, etwa „Laptop“ oder „Schlüsselbund“.',
  noPasskey:
    'Sie haben keinen. Ein Passkey liegt auf Ihrem Gerät, im Passwortmanager oder auf dem Sicherheitsschlüssel.',
  noPasskeysHere:
    'Passkeys gehen nur, wo die Adresse dieser Seite mit https beginnt und einen Namen hat, wie example.com.',
  added: (day) => `hinzugefügt ${day}`,
  lastUsed: (time) => (time === undefined ? 'nie benutzt' : `zuletzt benutzt ${time}`),
  passkeyAdded: 'Der Passkey ist hinzugefügt. Auf Ihren anderen Geräten sind Sie abgemeldet.',
  remove: 'Entfernen',
  removePasskey: (name) => `Den Passkey ${name} entfernen?`,
  removeText: 'Damit kommen Sie nicht mehr hinein.',
  removeLast: 'Das ist Ihr einziger zweiter Faktor: Ihre Wiederherstellungscodes werden mit ihm entfernt.',
  removed: 'Entfernt.',
  totp: 'Authenticator-App',
  noTotp: 'Sie haben keine. Eine App auf Ihrem Telefon zeigt alle 30 Sekunden einen neuen Code.',
  setUpTotp: 'App einrichten',
  setUpSince: (day) => `eingerichtet ${day}`,
  removeTotp: 'Die Authenticator-App entfernen?',
  scan: 'Scannen Sie dieses Bild mit der App, oder tippen Sie das Geheimnis in die App.',
  qr: 'QR-Code für die Authenticator-App',
  secret: 'Geheimnis',
  totpAdded: 'Die Authenticator-App ist eingerichtet. Auf Ihren anderen Geräten sind Sie abgemeldet.',
  finish: 'Fertig',
  recovery: 'Wiederherstellungscodes',
  recoveryLead: 'Benutzen Sie einen, wenn Sie das Gerät Ihres zweiten Faktors verloren haben.',
  codesLeft: (many) => (many === 0 ? 'Keiner übrig.' : `${number(many)} übrig.`),
  newCodes: 'Neue Codes erzeugen',
  newCodesTitle: 'Neue Wiederherstellungscodes erzeugen?',
  newCodesText: 'Die bisherigen gelten dann nicht mehr.',
  codesMade: 'Sie haben neue Wiederherstellungscodes.',
  codesTitle: 'Bewahren Sie Ihre Wiederherstellungscodes auf',
  codesReady:
    'Mit jedem kommen Sie einmal hinein, wenn Sie den zweiten Faktor verloren haben. Sie werden nur einmal gezeigt.',
  downloadCodes: 'Herunterladen',
  codesFile: 'greenroom-wiederherstellungscodes.txt',
  codesHead: 'Wiederherstellungscodes von Greenroom, jeder gilt einmal',

  requiredTitle: 'Diese Organisation verlangt einen zweiten Faktor',
  required: (organization) =>
    `${organization} lässt nur herein, wer sich mit einem zweiten Faktor angemeldet hat, etwa einem Passkey oder einer Authenticator-App. Das Einrichten dauert eine Minute.`,
  requiredAgain: (organization) =>
    `${organization} lässt nur herein, wer sich mit seinem zweiten Faktor angemeldet hat. Melden Sie sich ab, und mit Ihrem wieder an.`,
}
