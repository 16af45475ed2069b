import './automation-model.test.js'
