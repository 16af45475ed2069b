import { common } from '../words.ts'
import type { words as english } from './server.words.ts'

const { count, number } = common

const GB = 1_000_000_000

const size = (bytes: number): string => `${number(Math.floor((bytes / GB) * 10) / 10)} GB`

export const words: typeof english = {
  health: 'Zustand',
  states: { good: 'Gut', warning: 'Ansehen', bad: 'Schlecht', off: 'Nicht eingerichtet' },
  database: 'Datenbank',
  databaseOf: {
    pglite: 'Sie antwortet. Sie ist ein Teil von Greenroom, im Datenverzeichnis.',
    postgres: 'Sie antwortet. Sie ist ein PostgreSQL.',
  },
  parts: {
    publisher: 'Veröffentlichen',
    intake: 'Lieferungen von Shops und Apps',
    mail: 'E-Mails',
    media: 'Bilder und Videos',
    platform: 'Meta-API',
  },
  publisher: {
    on_time: 'Beiträge erscheinen pünktlich.',
    late: 'Ein Beitrag wartet länger, als er sollte. Sehen Sie in das Log des Servers.',
    stopped: 'Kein Prozess veröffentlicht: Starten Sie einen mit dieser Rolle.',
  },
  intake: {
    on_time: () => 'Alle Lieferungen sind angewendet.',
    late: (many) =>
      `${many === 1 ? '1 Lieferung wartet' : `${count(many, 'Lieferung', 'Lieferungen')} warten`}: Läuft der Server, der sie anwendet?`,
    problems: (many) =>
      `${many === 1 ? '1 Eintrag ließ' : `${count(many, 'Eintrag', 'Einträge')} ließen`} sich nicht anwenden. Sie stehen in den Einstellungen jeder Organisation unter Quellen.`,
    unused: () => 'Keine Organisation hat eine Quelle.',
  },
  mail: {
    on_time: () => 'E-Mails werden gesendet.',
    late: (many) =>
      `${many === 1 ? '1 E-Mail wartet' : `${count(many, 'E-Mail', 'E-Mails')} warten`}, und kein Prozess sendet.`,
    failing: (many) =>
      `${many === 1 ? '1 E-Mail konnte' : `${count(many, 'E-Mail', 'E-Mails')} konnten`} nicht gesendet werden; es wird noch einmal versucht. „greenroom doctor“ prüft den Mailserver.`,
    off: () =>
      'Niemand bekommt E-Mails, und wer sein Passwort vergisst, braucht einen Link von Ihnen. SMTP_URL ändert das.',
  },
  media: {
    on: 'Dateien können hochgeladen werden.',
    off: 'Dateien können nicht hochgeladen werden. MEDIA_DIR ändert das.',
  },
  platform: {
    supported: (version) => `${version} ist in Gebrauch.`,
    ending: (version, day) => `${version} endet am ${day}.`,
    ended: (version, day) => `${version} endete am ${day}.`,
    unannounced: (version) => `Wann ${version} endet, ist hier nicht bekannt.`,
    newer: (version) => `${version} ist neuer als die Tabelle der Versionen.`,
    unknown: (version) => `${version} steht nicht in der Tabelle der Versionen.`,
  },
  newVersion: (newest) => `Aktualisieren Sie Greenroom${newest ? `, oder setzen Sie GRAPH_VERSION=${newest}` : ''}.`,
  disks: {
    data: 'Platte der Daten',
    media: 'Platte der Bilder und Videos',
    backups: 'Platte der Sicherungen',
    'audit-exports': 'Platte der exportierten Aktivität',
  },
  disk: {
    room: (free, all) => `${size(free)} von ${size(all)} sind frei.`,
    low: (free, all) => `Nur ${size(free)} von ${size(all)} sind frei: Schaffen Sie Platz.`,
    full: () => 'Sie ist voll, und nichts kann dort geschrieben werden: Schaffen Sie jetzt Platz.',
    silent: () => 'Sie antwortet nicht. Ist sie angeschlossen?',
  },
  since: (distance) => `Das Älteste war ${distance} fällig.`,

  lastBackup: 'Letzte Sicherung',
  noBackup: 'Noch keine',
  madeAt: (time, distance) => `${time} (${distance})`,
  backupFile: (file, place) => (place === undefined ? file : `${file} in ${place}`),
  fetched: 'von einem Programm wie „greenroom backup“ abgeholt: Wo sie liegt, ist hier nicht bekannt',
  sameDisk: 'auf der Platte der Daten: Setzen Sie BACKUP_DIR auf eine andere',
  withoutKey: 'ohne den Hauptschlüssel: Bewahren Sie ihn getrennt auf',
  missingMedia: (many) => (many === 1 ? '1 Datei fehlt' : `${count(many, 'Datei', 'Dateien')} fehlen`),
  backup: {
    made: 'Der Server macht von selbst Sicherungen.',
    late: 'Die letzte Sicherung ist älter, als sie sein sollte. Sehen Sie in das Log des Servers.',
    incomplete:
      'Der letzten Sicherung fehlen Bilder oder Videos. Ist MEDIA_DIR gesetzt, wo Sicherungen gemacht werden?',
    unusable: 'Am Ort der Sicherungen kann nichts geschrieben werden. Sehen Sie in das Log des Servers.',
    none: 'Die erste entsteht bald nach dem Start. Gibt es nach einer Stunde keine, sehen Sie in das Log des Servers.',
    making: 'Die erste entsteht gerade.',
    fetched: 'Ein Programm holt die Sicherungen ab.',
    off: 'Der Server macht von selbst keine Sicherungen, und seit zwei Tagen wurde keine abgeholt: Setzen Sie BACKUP_DIR, oder rufen Sie täglich „greenroom backup“ auf.',
  },

  masterKey: 'Hauptschlüssel',
  masterKeyHint: 'Er versiegelt die Geheimnisse in der Datenbank. Seine Kennung verrät nichts über den Schlüssel.',
  otherSecrets: (many) =>
    many === 0
      ? 'Jedes Geheimnis ist unter diesem Schlüssel versiegelt.'
      : `${many === 1 ? '1 Geheimnis ist' : `${count(many, 'Geheimnis', 'Geheimnisse')} sind`} unter einem anderen Schlüssel versiegelt: Eine Rotation ist nicht beendet, oder sie lassen sich nicht mehr öffnen.`,
  lostSecrets: (many) =>
    `${count(many, 'Geheimnis', 'Geheimnisse')} unter einem Schlüssel, der hier fehlt: Setzen Sie MASTER_KEY_PREVIOUS.`,
  rotate: 'Rotieren',
  goOn: 'Weiter rotieren',
  rotateTitle: 'Den Hauptschlüssel rotieren?',
  rotateText:
    'Jedes Geheimnis wird unter einem neuen Schlüssel versiegelt, während der Server läuft. Wo MASTER_KEY gesetzt ist, starten Sie den Server zuerst mit dem neuen und mit MASTER_KEY_PREVIOUS.',
  rotated: (resealed, unopened) =>
    unopened === 0
      ? `Der Hauptschlüssel ist rotiert: ${count(resealed, 'Geheimnis', 'Geheimnisse')} versiegelt.`
      : `Der Hauptschlüssel ist rotiert: ${count(resealed, 'Geheimnis', 'Geheimnisse')} versiegelt, ${number(unopened)} öffnet keiner der beiden Schlüssel. Das Log des Servers nennt sie.`,

  lastSignIns: 'Letzte Anmeldungen',
  noSignIns: 'Noch hat sich niemand angemeldet.',
  signedIn: (time, browser, network) => `${time} · ${browser} · von ${network}`,
}
