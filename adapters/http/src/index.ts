// The REST API over an engine, and a server for it

export { type Access, type AccessOptions, openAccess } from './access/access.ts'
export { type Brought, SecretChecks } from './access/secret-checks.ts'
export { type App, type AppOptions, createApp } from './app.ts'
// Several clients, each with an engine of its own
export type { Client } from './clients/client.ts'
export type { Clients } from './clients/clients.ts'
export {
  type OpenedClient,
  type ServeClientsOptions,
  type ServedClients,
  serveClients,
} from './clients/serve-clients.ts'
export { addClient, listClients, removeClient } from './commands/clients.ts'
export { type Config, ConfigError, type Environment, readConfig } from './config/config.ts'
export { type ErrorsModel, HttpError } from './http/errors.ts'
export { apiVersion } from './http/version.ts'
// What an app is made of
export { type Licence, type LicenceOptions, type LicenceState, openLicence } from './licence/licence.ts'
export { type Listening, type ListenOptions, listen } from './listening/listen.ts'
export type { Logger } from './request/log.ts'
// The table of routes, for those who add their own
export type { Answer, Call, Route, RouteResponse } from './route.ts'
export type { Arriving, Fetch } from './router.ts'
export { createSetup, type OwnSetup, type Setup, type SetupOptions } from './setup/setup.ts'
export type { Component } from './update/components.ts'
export { createUpdater, type Updater } from './update/update.ts'
