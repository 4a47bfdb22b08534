// Starts the board: theme, sign-in, then the page.
import "./styles/index.css"; // first, so that pages can refine it
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Board } from "./Board";
import { listenForKeys } from "./keyboard/keys";
import { OpenedElsewhere } from "./pages/signin/OpenedElsewhere";
import { SignIn } from "./pages/signin/SignIn";
import { signIn } from "./store/session";
import { begin } from "./store/store";
import { applyTheme } from "./theme";

async function start(): Promise<void> {
  applyTheme();
  const root = createRoot(document.getElementById("board")!);
  const found = await signIn();
  if ("error" in found) {
    root.render(<SignIn error={found.error} />);
    return;
  }
  const open = () => {
    begin(found.session);
    listenForKeys();
    root.render(
      <StrictMode>
        <Board />
      </StrictMode>,
    );
  };
  if (document.documentElement.dataset["openedBy"] && !found.byLink) root.render(<OpenedElsewhere onOpen={open} />);
  else open();
}

void start();
