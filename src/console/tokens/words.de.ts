import type { words as english } from './words.ts'

export const words: typeof english = {
  title: 'Programme, die für Sie handeln',
  lead: 'Ein Programm mit einem Token tut höchstens, was Sie für es auswählen und selbst dürfen. Kein Token gibt Beiträge frei. „Auf allen Geräten abmelden“ widerruft alle.',
  add: 'Neues Token',
  nameHint: 'Wofür es ist, etwa „Planung“.',
  may: 'Das Programm darf',
  scopes: {
    'automation:manage': 'Superkräfte ein- und ausschalten',
    'sources:read': 'Quellen lesen',
    'sources:manage': 'Quellen ändern',
    personal: 'Ihren Posteingang lesen und wählen, welche E-Mails Sie bekommen',
  },
  nothing: 'Wählen Sie mindestens etwas aus, was das Programm darf.',
  noRights: 'Es gibt nichts, was ein Programm für Sie tun könnte.',
  where: 'In',
  everywhere: 'Alle Ihre Organisationen',
  onlyIn: (organization) => `Nur in ${organization}`,
  until: 'Gültig für',
  lifetimes: { week: '7 Tage', month: '30 Tage', quarter: '90 Tage', year: 'ein Jahr' },
  make: 'Token erstellen',
  token: 'Token',
  ready: 'Das Token ist bereit',
  readyLead: 'Geben Sie es jetzt dem Programm. Es wird nur einmal gezeigt.',
  lastUsed: (time) => (time === undefined ? 'nie benutzt' : `zuletzt benutzt ${time}`),
  revokeText: 'Das Programm kann von jetzt an nicht mehr für Sie handeln.',

  deviceTitle: 'Ein Programm einlassen',
  code: 'Code',
  codeHint: 'Das Programm zeigt ihn Ihnen.',
  go: 'Weiter',
  asks: 'Dieses Programm möchte für Sie handeln:',
  from: (address, time) => `Es hat von der Adresse ${address} aus gefragt, ${time}.`,
  warning:
    'Erlauben Sie es nur, wenn Sie es gerade selbst gestartet haben. Wenn Ihnen jemand den Link oder den Code geschickt hat, lehnen Sie ab.',
  allow: 'Erlauben',
  refuse: 'Ablehnen',
  answers: {
    allowed: 'Das Programm kann jetzt für Sie handeln. Sie können diese Seite schließen.',
    refused: 'Das Programm wurde abgelehnt. Sie können diese Seite schließen.',
  },
}
