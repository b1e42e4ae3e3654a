@echo off
rem gradus.cmd: finds the shell of MSYS2 (https://www.msys2.org) and runs ./gradus in it, with the same words.
rem MSYS2_ROOT names its folder where it is not installed in a usual one.
setlocal
set "GRADUS_MSYS="
for %%D in ("%MSYS2_ROOT%" "C:\msys64" "%SystemDrive%\msys64" "%LOCALAPPDATA%\msys64" "%USERPROFILE%\msys64" "%ProgramFiles%\msys64") do (
    if not defined GRADUS_MSYS if exist "%%~D\usr\bin\bash.exe" set "GRADUS_MSYS=%%~D"
)
if not defined GRADUS_MSYS (
    echo gradus: there is no MSYS2 here; install it from https://www.msys2.org, then in its shell "UCRT64": 1>&2
    echo gradus:     pacman -S --needed gcc mingw-w64-ucrt-x86_64-gcc mingw-w64-ucrt-x86_64-meson mingw-w64-ucrt-x86_64-ninja mingw-w64-ucrt-x86_64-gnuplot 1>&2
    echo gradus: MSYS2_ROOT names its folder where it is an unusual one. 1>&2
    exit /b 1
)
rem The shell gets a path with /, which dirname takes apart as well.
set "GRADUS_HERE=%~dp0"
set "MSYSTEM=UCRT64"
set "CHERE_INVOKING=yes"
set "PATH=%GRADUS_MSYS%\ucrt64\bin;%GRADUS_MSYS%\usr\bin;%PATH%"
"%GRADUS_MSYS%\usr\bin\bash.exe" "%GRADUS_HERE:\=/%gradus" %*
exit /b %ERRORLEVEL%
